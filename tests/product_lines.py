"""Lines of the product by language: ``python -m tests.product_lines [FOLDER]``.

Code, comments and docstrings are counted apart; blank lines are not counted.
"""

import ast
import io
import re
import sys
import tokenize
from collections import Counter
from pathlib import Path

from tests.architecture import PACKAGES, ROOT

LANGUAGES = {".py": "Python", ".pyi": "Python", ".pyx": "Cython", ".pxd": "Cython", ".h": "C"}


def count_python(text: str) -> Counter[str]:
    """Lines of a Python file by kind."""
    docstrings: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        text_alone = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if text_alone and isinstance(node.value.value, str):
            docstrings |= set(range(node.lineno, (node.end_lineno or 0) + 1))
    code, comments = set(), set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            comments.add(token.start[0])
        elif token.type not in (
            tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER,
        ):  # fmt: skip
            code |= set(range(token.start[0], token.end[0] + 1))
    blank = {n for n, line in enumerate(text.splitlines(), 1) if not line.strip()}
    return Counter(
        code=len(code - docstrings - blank),
        comments=len(comments - code),
        docstrings=len(docstrings - blank),
    )


def count_cython(text: str) -> Counter[str]:
    """Lines of a Cython file by kind; a string that starts a line is a docstring."""
    counts: Counter[str] = Counter()
    inside = False
    for line in map(str.strip, text.splitlines()):
        if inside or line.startswith('"""'):
            counts["docstrings"] += bool(line)
            inside ^= line.count('"""') == 1
        elif line:
            counts["comments" if line.startswith("#") else "code"] += 1
    return counts


def count_c(text: str) -> Counter[str]:
    """Lines of a C header by kind."""
    lines = [line for line in text.splitlines() if line.strip()]
    bare = re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group().count("\n"), text, flags=re.S)
    bare = re.sub(r"//[^\n]*", "", bare)
    code = sum(bool(line.strip()) for line in bare.splitlines())
    return Counter(code=code, comments=len(lines) - code)


def count(root: Path) -> dict[str, Counter[str]]:
    """Lines of the product below a checkout by language and kind."""
    counters = {"Python": count_python, "Cython": count_cython, "C": count_c}
    totals: dict[str, Counter[str]] = {language: Counter() for language in counters}
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*")):
            language = LANGUAGES.get(path.suffix)
            if language is not None:
                totals[language] += counters[language](path.read_text())
    return totals


def main() -> None:
    """Print the table."""
    totals = count(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT)
    totals["total"] = sum(totals.values(), Counter())
    kinds = ("code", "comments", "docstrings")
    print(f"{'':8}" + "".join(f"{kind:>12}" for kind in kinds) + f"{'all':>12}")
    for language, own in totals.items():
        cells = [own[kind] for kind in kinds]
        print(f"{language:8}" + "".join(f"{cell:12,}" for cell in (*cells, sum(cells))))


if __name__ == "__main__":
    main()
