"""Build the Cython kernels: each ``sfm*/kernels/_*.pyx`` is one extension."""

import gzip
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.sdist import sdist

FOLDERS = [Path("sfmcore/kernels"), Path("sfmbio/kernels"), Path("sfmvision/kernels")]
KERNELS = [path for folder in FOLDERS for path in sorted(folder.glob("_*.pyx"))]


def refuse(platform: str) -> None:
    """End the build with a sentence where the package can't work.

    Raises
    ------
    SystemExit
        Before the compiler is asked for anything.
    """
    reason = None
    if platform == "win32":
        reason = (
            "does not run on Windows itself: it writes files under locks and names that only POSIX "
            "systems have. Use the Windows Subsystem for Linux, or the container (packaging/)"
        )
    elif sys.maxsize < 2**32:
        reason = "needs a 64-bit Python: sizes of data are 64-bit numbers"
    elif sys.byteorder != "little":
        reason = "needs a little-endian processor: vectors take numbers apart by their bytes"
    if reason is not None:
        sys.exit(f"sfm-pacbayes {reason}")


def has_openmp() -> bool:
    """Say whether the C compiler builds and links an OpenMP program.

    Without it the kernels run on one thread and give the same results.
    """
    if os.environ.get("SFM_NO_OPENMP"):
        return False
    program = "#include <omp.h>\nint main(void) { return omp_get_max_threads() < 1; }\n"
    compiler = os.environ.get("CC", "cc").split()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "probe.c")
        source.write_text(program)
        command = [*compiler, "-fopenmp", str(source), "-o", str(Path(folder, "probe"))]
        try:
            return subprocess.run(command, capture_output=True, check=False).returncode == 0
        except OSError:
            return False


def flags() -> tuple[list[str], list[str]]:
    """Return the compiler's and the linker's arguments."""
    # No -march: the vector width is chosen at run time (see simd/dispatch.h), so a wheel built
    # anywhere is fast everywhere. No -ffast-math: NaN and infinity must stay visible.
    compile_args = ["-O3", "-fno-math-errno", "-fno-trapping-math", "-Wall", "-Wextra"]
    # Cython's own code: unused helpers, and Python's slots are called through cast pointers.
    compile_args += [
        "-Wno-unused-function",
        "-Wno-unused-parameter",
        "-Wno-unused-but-set-variable",
        "-Wno-psabi",
        "-Wno-missing-field-initializers",
        "-Wno-cast-function-type",
    ]
    # Vectors are only passed to functions that are inlined; their ABI does not matter.
    # Python's own flags ask for debugging information. It is nine tenths of a kernel, and it names
    # the temporary folder of the build, so two builds would differ.
    if "-g" not in os.environ.get("CFLAGS", "").split():
        compile_args.append("-g0")
    link_args: list[str] = []
    if has_openmp():
        compile_args.append("-fopenmp")
        link_args.append("-fopenmp")
    return compile_args, link_args


def uncontracted(name: str) -> list[str]:
    """Return the flag that keeps a * b + c two operations, for the kernels that ask for it."""
    return ["-ffp-contract=off"] if name in UNCONTRACTED else []


class ReproducibleSdist(sdist):
    """Writes the same archive from the same files if SOURCE_DATE_EPOCH names the time."""

    def make_archive(self, base_name, format, root_dir=None, base_dir=None, **further):
        """Write a .tar.gz without the times, owners and order that a file system adds."""
        epoch = os.environ.get("SOURCE_DATE_EPOCH")
        if epoch is None or format != "gztar":
            return super().make_archive(base_name, format, root_dir, base_dir, **further)

        def plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
            member.mtime, member.uid, member.gid = int(epoch), 0, 0
            member.uname = member.gname = ""
            member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            return member

        name = f"{base_name}.tar.gz"
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        with (
            open(name, "wb") as file,
            gzip.GzipFile("", "wb", fileobj=file, mtime=int(epoch)) as packed,
            tarfile.open(fileobj=packed, mode="w") as archive,
        ):
            # Folders are added in the order of their files' names.
            archive.add(Path(root_dir or ".", base_dir), base_dir, filter=plain)
        return name


# Kernels whose bits must not depend on which processors multiply and add at once.
UNCONTRACTED = {"_lda"}

refuse(sys.platform)
compile_args, link_args = flags()
extensions = [
    Extension(
        ".".join([*path.parent.parts, path.stem]),
        [str(path)],
        # A kernel reads the headers below its folder and those of the core.
        depends=[
            str(header)
            for folder in sorted({path.parent, FOLDERS[0]})
            for suffix in ("h", "pxd")
            for header in sorted(folder.rglob(f"*.{suffix}"))
        ],
        include_dirs=[str(path.parent), "sfmcore/kernels"],
        extra_compile_args=compile_args + uncontracted(path.stem),
        extra_link_args=link_args,
    )
    for path in KERNELS
]
setup(
    # Setuptools compiles one extension after another unless it is told.
    options={"build_ext": {"parallel": os.cpu_count() or 1}},
    cmdclass={"sdist": ReproducibleSdist},
    ext_modules=cythonize(
        extensions,
        compiler_directives={
            "language_level": "3",
            "boundscheck": False,
            "wraparound": False,
            "initializedcheck": False,
            "cdivision": True,
            "embedsignature": True,
        },
    ),
)
