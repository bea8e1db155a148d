"""From a pair of fitted models to feature rows of unit length: the stochastic feature map.

``feature_map`` draws, or takes expectations of, the hidden variables and conditions the features;
``nystroem`` puts a kernel on top by landmarks, with the functions of ``kernel_functions``;
``column_kernel`` is the same kernel on plain columns, without models.
"""
