"""The built extensions hold a version of every vector function for each vector width.

Without them everything still works, only several times slower: a switched-off macro or a lost
flag would pass all other tests.
"""

import importlib.util
import re
import sys
from pathlib import Path

import pytest

from benchmarks.instructions.elf import compiler, functions, is_x86_64

REPOSITORY = Path(__file__).parents[2]
CORE = REPOSITORY / "sfmcore" / "kernels"
KERNELS = sorted(REPOSITORY.glob("sfm*/kernels/_*.pyx"))
# What names a header: Cython, an include, or the file that is compiled for each width.
INCLUDE = re.compile(
    r'^\s*(?:cdef extern from|#\s*include|#define SFM_EACH_WIDTH) "([\w./]+\.h)"', re.M
)
# A function that is compiled for each width, in a file X.width.h.
ENTRY = re.compile(r"^(?:SFM|NEAREST)_ENTRY [\w *]*\bSIZED\((\w+)\)", re.M)
# A file that is read several times has another name each time for its function.
NAMED = re.compile(r"^#define (\w+) (sfm_\w+)$", re.M)
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


def functions_of(source: Path) -> set[str]:
    """The functions of a built kernel, if it was built to have versions."""
    package = source.parts[-3]
    spec = importlib.util.find_spec(f"{package}.kernels.{source.stem}")
    assert spec is not None
    assert spec.origin is not None
    file = Path(spec.origin)
    if not sys.platform.startswith("linux") or not is_x86_64(file):
        pytest.skip("versions can be looked for in files of Linux on x86-64 only")
    used = compiler(file)
    if not used.makes_versions:
        pytest.skip(f"built by {used}: versions are made by GCC 12 or clang 16, or newer")
    names = functions(file)
    if not names:
        pytest.skip(f"{file.name} is stripped of the names of its functions")
    return names


def entries(source: Path) -> set[str]:
    """The functions of a kernel that are compiled for each width, with the width."""
    text = "".join(header.read_text(encoding="utf-8") for header in headers(source))
    named: dict[str, set[str]] = {}
    for name, own in NAMED.findall(text):
        named.setdefault(name, set()).add(own)
    entered = {own for name in ENTRY.findall(text) for own in named.get(name, {name})}
    found = {f"{name}_{width}" for name in entered for width in WIDTHS}
    for name in TYPED.findall(text):
        found |= {f"sfm_{name}_double_{width}" for width in WIDTHS}
        found |= {f"sfm_{name}_float_{width}" for width in WIDTHS if width < 512}
    return found


VECTORISED = [source for source in KERNELS if entries(source)]


@pytest.mark.parametrize("source", VECTORISED, ids=lambda source: source.stem)
def test_every_vector_function_is_there_for_each_width(source):
    # The compiler may add to a name: "sfm_lda_sweep_256.constprop.0".
    plain = {name.partition(".")[0] for name in functions_of(source)}
    assert entries(source) <= plain


@pytest.mark.parametrize("source", VECTORISED, ids=lambda source: source.stem)
def test_every_vectorised_kernel_follows_the_width_of_the_process(source):
    assert "sfm_follow(&_simd.width)" in source.read_text(encoding="utf-8").splitlines()


def test_a_function_in_a_header_of_a_header_is_seen():
    # _dense_sift.pxd names sift.h; rows.width.h is compiled by rows.h, which is below it.
    assert {source.stem for source in VECTORISED} >= {"_dense_sift", "_gmm", "_objective"}
    assert "sfm_gradient_row_256" in entries(next(s for s in KERNELS if s.stem == "_dense_sift"))
    # It includes the random streams, whose functions are parts of others.
    assert "_random" not in {source.stem for source in VECTORISED}


def test_widths_are_chosen_in_one_place():
    found = {
        path.name
        for folder in {source.parent for source in KERNELS}
        for path in folder.rglob("*.h")
        if re.search(r"target\(|target_clones|__builtin_cpu", path.read_text(encoding="utf-8"))
    }
    assert found == {"dispatch.h"}
