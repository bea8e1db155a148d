"""The product's rooms and the imports between them."""

import pytest

from tests.architecture import PACKAGES, Module, arrows, circle, floors, foreign_names, modules

MOST_FLOORS = 8


@pytest.fixture(scope="module")
def every():
    return modules()


@pytest.mark.parametrize("package", PACKAGES)
def test_rooms_do_not_import_each_other_in_a_circle(every, package):
    assert circle(arrows(every, package)) == []


@pytest.mark.parametrize("package", PACKAGES)
def test_rooms_lie_on_few_floors(every, package):
    assert max(floors(arrows(every, package)).values()) < MOST_FLOORS


def test_the_core_knows_no_domain_and_domains_do_not_meet(every):
    for module in every.values():
        package = module.name.split(".")[0]
        above = {target.split(".")[0] for target in module.imports} - {package}
        assert above <= ({"sfmcore"} if package != "sfmcore" else set()), module.name


def test_a_circle_is_found():
    ring = circle({"a": {"b"}, "b": {"c"}, "c": {"b"}})
    assert ring == ["b", "c", "b"]
    assert circle({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


def test_no_module_uses_a_private_name_of_another(every):
    assert foreign_names(every) == []


def test_private_names_across_modules_are_found():
    below = Module("sfmcore.a.low", defined={"_hook", "_own"})
    above = Module("sfmcore.b.high", foreign={"sfmcore.a.low._own"})
    above.bases = {"High": {"sfmcore.a.low"}, "High()": {"_hook"}}
    found = foreign_names({module.name: module for module in (below, above)})
    assert found == [
        "sfmcore.b.high: sfmcore.a.low._own",
        "sfmcore.b.high.High._hook: also in sfmcore.a.low",
    ]
