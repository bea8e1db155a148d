"""The built extensions hold a version of every vector function for each vector width.

Without them everything still works, only several times slower: a switched-off macro or a lost
flag would pass all other tests.
"""

import importlib.util
import platform
import re
from collections import defaultdict
from pathlib import Path

import pytest

from benchmarks.instructions.elf import compiler, functions, is_x86_64

REPOSITORY = Path(__file__).parents[2]
CORE = REPOSITORY / "sfmcore" / "kernels"
# By what GCC and clang call them; the last is for any processor.
VERSION = re.compile(r"(\w+)\.(arch_x86[-_]64[-_]v4|arch_x86[-_]64[-_]v3|default)\b.*")
LEVELS = {"v4", "v3", "default"}


# What names a header: Cython, an include, or the file that is compiled for each width.
INCLUDE = re.compile(
    r'^\s*(?:cdef extern from|#\s*include|#define SFM_EACH_WIDTH) "([\w./]+\.h)"', re.M
)
# A function that is compiled for each width, in a file X.width.h.
ENTRY = re.compile(r"^(?:SFM|NEAREST)_ENTRY [\w *]*\bSIZED\((\w+)\)", re.M)
# The rows of the objective have two types. Floats are not called with 512 bits.
TYPED = re.compile(r"^SFM_ENTRY [\w *]*\bTYPED\((\w+)\)", re.M)
WIDTHS = (512, 256, 128)


def headers(source: Path) -> set[Path]:
    """All headers of a kernel, those that headers include too."""
    found: set[Path] = set()
    waiting = [path for path in (source, source.with_suffix(".pxd")) if path.is_file()]
    while waiting:
        text = waiting.pop().read_text(encoding="utf-8")
        for name in INCLUDE.findall(text):
            for folder in (source.parent, CORE):
                header = folder / name
                if header.is_file() and header not in found:
                    found.add(header)
                    waiting.append(header)
    return found


def kernels_with(pattern: str) -> list[Path]:
    """The kernels with a header in which a line begins like that."""
    return [
        source
        for source in sorted(REPOSITORY.glob("sfm*/kernels/_*.pyx"))
        if any(
            re.search(f"^{pattern}", header.read_text(encoding="utf-8"), re.M)
            for header in headers(source)
        )
    ]


def versions(names: set[str]) -> dict[str, set[str]]:
    """The levels of every function that has several."""
    found: dict[str, set[str]] = defaultdict(set)
    for name in names:
        if match := VERSION.fullmatch(name):
            found[match[1]].add("default" if match[2] == "default" else match[2][-2:])
    return dict(found)


DISPATCHED = kernels_with(r"SFM_DISPATCH\b")


def functions_of(source: Path) -> set[str]:
    """The functions of a built kernel, if it was built to have versions."""
    package = source.parts[-3]
    spec = importlib.util.find_spec(f"{package}.kernels.{source.stem}")
    assert spec is not None
    assert spec.origin is not None
    file = Path(spec.origin)
    if platform.libc_ver()[0] != "glibc" or not is_x86_64(file):
        pytest.skip("versions are made for Linux on x86-64 with glibc only")
    used = compiler(file)
    if not used.makes_versions:
        pytest.skip(f"built by {used}: versions are made by GCC 12 or clang 16, or newer")
    names = functions(file)
    if not names:
        pytest.skip(f"{file.name} is stripped of the names of its functions")
    return names


@pytest.mark.parametrize("source", DISPATCHED, ids=lambda source: source.stem)
def test_marked_functions_have_a_version_for_each_level(source):
    found = versions(functions_of(source))
    assert found, "no function has versions: is SFM_DISPATCH switched off?"
    assert found == dict.fromkeys(found, LEVELS)


def entries(source: Path) -> set[str]:
    """The functions of a kernel that are compiled for each width, with the width."""
    text = "".join(header.read_text(encoding="utf-8") for header in headers(source))
    found = {f"{name}_{width}" for name in ENTRY.findall(text) for width in WIDTHS}
    for name in TYPED.findall(text):
        found |= {f"sfm_{name}_double_{width}" for width in WIDTHS}
        found |= {f"sfm_{name}_float_{width}" for width in WIDTHS if width < 512}
    return found


VECTORISED = [
    source for source in sorted(REPOSITORY.glob("sfm*/kernels/_*.pyx")) if entries(source)
]


@pytest.mark.parametrize("source", VECTORISED, ids=lambda source: source.stem)
def test_every_vector_function_is_there_for_each_width(source):
    # The compiler may add to a name: "sfm_lda_sweep_256.constprop.0".
    plain = {name.partition(".")[0] for name in functions_of(source)}
    assert entries(source) <= plain


@pytest.mark.parametrize("source", VECTORISED, ids=lambda source: source.stem)
def test_every_vectorised_kernel_follows_the_width_of_the_process(source):
    assert "sfm_follow(&_simd.width)" in source.read_text(encoding="utf-8").splitlines()


def test_a_mark_in_a_header_of_a_header_is_seen():
    # sfm_sift_rows.h is below what _dense_sift.pyx names.
    assert {"_dense_sift"} <= {source.stem for source in DISPATCHED}
    # It includes sfm_vector.h, which only defines the mark.
    assert "_random" not in {source.stem for source in DISPATCHED}


def test_names_of_gcc_and_of_clang_are_understood():
    gcc = {"sfm_x", "sfm_x.arch_x86_64_v4", "sfm_x.arch_x86_64_v3", "sfm_x.default"}
    clang = {"sfm_x.arch_x86-64-v4.0", "sfm_x.arch_x86-64-v3.1", "sfm_x.default.2"}
    assert versions(gcc) == versions(clang) == {"sfm_x": LEVELS}
    assert versions({"sfm_x", "sfm_x.resolver", "sfm_x.cold"}) == {}
    assert versions(gcc - {"sfm_x.arch_x86_64_v4"}) == {"sfm_x": {"v3", "default"}}
