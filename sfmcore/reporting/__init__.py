"""Reports of a training, an evaluation or a test: one HTML page that needs nothing else.

``evaluation`` and ``training`` make the sections of a page from results, ``parts`` says what a
section may hold, and ``page`` writes it by the template ``page.html.jinja`` and ``style.css``. An
``outcome`` is anything with answers about items whose labels are known, so a test set is shown as
an evaluation is. Jinja2 and matplotlib, the extra `report`, are imported when a page is made.
"""
