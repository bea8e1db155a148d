"""What a report shows of images: the most confident mistakes, with their evidence in colours."""
