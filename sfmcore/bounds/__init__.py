"""PAC-Bayes: the objective J(u), the inequalities, and certificates.

``objective`` is J(u) of the Appendix, its gradient and the bound of Theorems 1 and 2;
``inequalities`` are bounds on the true risk, numbers in and numbers out; ``certificate`` applies
them to one vote, and ``certificate_report`` to all classes of a classifier.
"""
