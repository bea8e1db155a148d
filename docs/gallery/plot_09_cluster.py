"""
A cluster
=========

Training, evaluation and prediction can be shared out to a Dask cluster, and the result is that of
one machine to the last bit. This example starts a scheduler and two workers on your own machine;
on many machines the commands are the same. The extra ``cluster`` installs what is needed.
"""

# %%
# Start it
# --------
# In shells that would be ``dask scheduler`` in one, and ``dask worker ADDRESS --nthreads 1`` in as
# many others as you like. Here they are processes that this script starts, and ends below.

import atexit
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

folder = Path(tempfile.mkdtemp())


def dask(*words):
    """Start a command of Dask in the background, without its dashboard."""
    command = [sys.executable, "-m", "dask", *words, "--no-dashboard"]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)  # fmt: skip
    atexit.register(process.terminate)  # whatever happens below
    return process


note = folder / "scheduler.json"
host = ("--host", "127.0.0.1")
started = [dask("scheduler", "--scheduler-file", str(note), "--port", "0", *host)]
while not note.exists():
    time.sleep(0.1)
started += [
    dask("worker", "--scheduler-file", str(note), "--nthreads", "1", *host) for _ in range(2)
]
address = json.loads(note.read_text())["address"]
print("scheduler:", address.rpartition(":")[0] + ":PORT")

# %%
# From Python
# -----------
# Whatever is fitted below ``joblib.parallel_config("dask")`` runs on the workers. A task is one
# model, one class, or a block of alignments.

from Bio import SeqIO
from dask.distributed import Client
from joblib import parallel_config

from sfmbio import ProteinClassifier

PEPTIDES = Path("../../data/peptides").resolve()  # as seen from docs/gallery

sequences, labels = [], []
for path in sorted(PEPTIDES.glob("*.fasta")):
    for record in SeqIO.parse(path, "fasta"):
        sequences.append(str(record.seq))
        labels.append(path.stem)

sequences, new = sequences[::2], sequences[1::8]
labels = labels[::2]

client = Client(address)
client.wait_for_workers(2)
with parallel_config("dask"):
    shared = ProteinClassifier(random_state=0).fit(sequences, labels)
alone = ProteinClassifier(random_state=0).fit(sequences, labels)

probabilities = [model.predict_proba(new) for model in (shared, alone)]
print("the same bits:", probabilities[0].tobytes() == probabilities[1].tobytes())

client.close()

# %%
# From a shell
# ------------
# ``--scheduler`` names the address, for ``train`` and ``evaluate`` too; these also take
# ``--checkpoint``, which keeps what is finished, so that the same command goes on after an end of
# any kind.

shared.save(folder / "peptides.sfm")
with (folder / "new.fasta").open("w") as file:
    SeqIO.write(SeqIO.parse(PEPTIDES / "antimicrobial.fasta", "fasta"), file, "fasta")

command = ["sfmbio", "predict", "peptides.sfm", "new.fasta", "--scheduler"]
print("$", *command, "tcp://127.0.0.1:PORT", "| head -3")
words = [sys.executable, "-m", *command, address]
table = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True).stdout
print(*table.splitlines()[:3], sep="\n")

# %%
# Is it worth it?
# ---------------
# Not for 618 peptides: one processor learns them in two seconds, and a worker takes as long to
# start and to import what it needs. It pays where training takes minutes, as with thousands of
# proteins: 118 classes of enzymes take nine minutes of one processor
# (:doc:`/results/many_classes`).

for process in reversed(started):
    process.terminate()
    process.wait()
