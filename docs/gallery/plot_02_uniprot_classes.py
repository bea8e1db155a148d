"""
Classes from UniProt headers
============================

FASTA files of UniProt hold the name of the protein, its organism and its gene in the header. A
regular expression makes classes of any of them, so no file has to be sorted by hand.
"""

# %%
# A file to work with
# -------------------
# The repository has no file of UniProt. So this example writes the peptides of ``data/peptides``
# into one file with headers of UniProt's form; accessions, names and organisms are made up here,
# the sequences are real. A few records get a name that fits no class, as happens in any download.

import csv
import subprocess
import sys
import tempfile
from pathlib import Path

from Bio import SeqIO

PEPTIDES = Path("../../data/peptides")  # as seen from docs/gallery
folder = Path(tempfile.mkdtemp())

names = {
    "antimicrobial": "Antimicrobial peptide {}",
    "transmembrane": "Transmembrane segment {}",
    "random": "Uncharacterized fragment {}",
}
organisms = ["Xenopus laevis", "Homo sapiens", "Bombyx mori"]
with (folder / "download.fasta").open("w") as file:
    for label, name in names.items():
        for number, record in enumerate(SeqIO.parse(PEPTIDES / f"{label}.fasta", "fasta")):
            protein = "Putative protein" if number % 100 == 99 else name.format(number + 1)
            file.write(
                f">sp|{label[0].upper()}{number:05d}|{label[:4].upper()}{number}_TEST {protein} "
                f"OS={organisms[number % 3]} OX=0 PE=1 SV=1\n{record.seq}\n"
            )


def shell(command):
    """Run a command as in a shell, and show what it says."""
    print("$", command)
    words = command.replace("sfmbio", f"{sys.executable} -m sfmbio", 1).split(" ")
    ended = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True)
    print(ended.stderr + ended.stdout, end="")


print((folder / "download.fasta").read_text().splitlines()[0])

# %%
# The pattern
# -----------
# The first group of the pattern is the label. Here it is the first word of the protein's name, if
# that is one of three. Records in which the pattern finds nothing are counted, the first of them
# are named, and training goes on without them; ``--strict`` would end with exit code 1.

shell(
    r"sfmbio train download.fasta -o peptides.sfm --seed 0 --quiet "
    r"--label-from header:\s(Antimicrobial|Transmembrane|Uncharacterized)\s"
)

# %%
# In a shell, put the pattern in quotes:
#
# .. code-block:: console
#
#    $ sfmbio train download.fasta -o peptides.sfm \
#          --label-from 'header:\s(Antimicrobial|Transmembrane|Uncharacterized)\s'
#
# ========================================  ============================
# to have classes of                        ``--label-from``
# ========================================  ============================
# the organism, genus and species           ``'header:OS=(\w+ \w+)'``
# the gene                                  ``'header:GN=(\S+)'``
# reviewed or not (``sp`` or ``tr``)        ``'header:^(sp|tr)\|'``
# the species code of the entry name        ``'header:^\w+\|\w+\|\w+_(\w+)'``
# ========================================  ============================
#
# Which class can be learnt is another question. The organism of a peptide, which was dealt out here
# one after another, is none of them. Always check that a classifier is better than the largest
# class:

shell(
    r"sfmbio evaluate download.fasta --label-from header:OS=(\w+) --partitions 3 --seed 0 --quiet"
)

# %%
# ``majority %`` is what naming the larger side always would give. Accuracy is within a point of it,
# a third of the labels is right where there are three, and a set of labels holds 2.5 of them: the
# program does not see what is not there.
#
# Labels from a table
# -------------------
# Keywords, EC numbers or Gene Ontology terms are in no header. Download them as a table (UniProt's
# "Customize columns"), keep two columns, and give it with ``--labels``. Ids are those of the FASTA
# file, the first word of the header. A field that is left blank leaves a record out.

with (folder / "keywords.tsv").open("w") as file:
    table = csv.writer(file, delimiter="\t")
    table.writerow(["id", "label"])
    for record in SeqIO.parse(folder / "download.fasta", "fasta"):
        kept = "Antimicrobial" if "Antimicrobial" in record.description else "other"
        table.writerow([record.id, "" if "Putative" in record.description else kept])

shell("sfmbio evaluate download.fasta --labels keywords.tsv --partitions 3 --seed 0 --quiet")

# %%
# Two things to keep in mind. Classes that a search of names gives are as good as the names: many
# names in UniProt were themselves transferred from similar sequences, and a classifier that learns
# them learns that similarity. And proteins of one family are in a download many times over, so
# random halves flatter every method: :ref:`sphx_glr_auto_gallery_plot_03_relatives_held_out.py`.
