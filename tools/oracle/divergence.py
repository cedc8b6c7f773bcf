#!/usr/bin/env python3
"""How far two runs of a checkpoint are from the exact one: the judgement of contract E4.

    tools/oracle/divergence.py SCORE_DIR OURS_DIR [--peer llama.cpp-f32]

SCORE_DIR is what score.sh made for the checkpoint; OURS_DIR holds logits_000.npy … of the same tokens in the same
contexts. Prints the mean KL(exact || run) of both runs over all tokens with the 95 % bootstrap interval of their
paired difference, and how many greedy choices agree where the exact margin exceeds the noise. Fails unless

  - mean KL(exact || ours) <= 1.05 x mean KL(exact || peer), or the interval contains 0, and
  - every compared choice is the exact one, and at least half of the positions were compared.
"""

import argparse
import pathlib
import sys

import numpy

ROWS_AT_A_TIME = 64
NOISE_FACTOR = 2.0  # a margin counts when it exceeds twice the rms of peer - exact at that position
RESAMPLES = 2000


def log_softmax(logits):
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return shifted - numpy.log(numpy.exp(shifted).sum(axis=-1, keepdims=True))


def judge_rows(exact, peer, ours):
    """Per row: KL(exact || peer), KL(exact || ours), exact margin / noise, whether peer and ours choose as exact."""
    exact, peer, ours = (rows.astype(numpy.float64) for rows in (exact, peer, ours))
    noise = numpy.sqrt(((peer - exact) ** 2).mean(axis=-1))
    best_two = numpy.partition(exact, -2, axis=-1)[:, -2:]
    margin = (best_two[:, 1] - best_two[:, 0]) / noise
    agrees = [exact.argmax(axis=-1) == run.argmax(axis=-1) for run in (peer, ours)]
    truth = log_softmax(exact)
    weight = numpy.exp(truth)
    divergence = [(weight * (truth - log_softmax(run))).sum(axis=-1) for run in (peer, ours)]
    return *divergence, margin, *agrees


def judge(score, ours, peer):
    columns = []
    names = sorted(path.name for path in (score / "exact").glob("logits_*.npy"))
    if not names:
        raise SystemExit(f"{score}: no exact logits; run tools/oracle/score.sh")
    for name in names:
        chunk = [numpy.load(folder / name, mmap_mode="r") for folder in (score / "exact", score / peer, ours)]
        if len({array.shape for array in chunk}) != 1:
            raise SystemExit(f"{ours / name}: shape {chunk[2].shape}, wanted {chunk[0].shape}")
        for begin in range(0, chunk[0].shape[0], ROWS_AT_A_TIME):
            columns.append(judge_rows(*(array[begin : begin + ROWS_AT_A_TIME] for array in chunk)))
    return [numpy.concatenate(column) for column in zip(*columns)]


def bootstrap_interval(differences):
    random = numpy.random.default_rng(0)
    means = [random.choice(differences, differences.size).mean() for _ in range(RESAMPLES)]
    return numpy.quantile(means, [0.025, 0.975])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("score", type=pathlib.Path)
    parser.add_argument("ours", type=pathlib.Path)
    parser.add_argument("--peer", default="llama.cpp-f32")
    arguments = parser.parse_args()

    peer, ours, margin, peer_agrees, agrees = judge(arguments.score, arguments.ours, arguments.peer)
    low, high = bootstrap_interval(ours - peer)
    clear = margin > NOISE_FACTOR
    close = ours.mean() <= 1.05 * peer.mean() or low <= 0 <= high
    greedy = bool(agrees[clear].all()) and clear.mean() >= 0.5
    print(f"tokens               {ours.size}")
    print(f"mean KL              {ours.mean():.6f}; {arguments.peer} {peer.mean():.6f}; ratio {ours.mean() / peer.mean():.3f}")
    print(f"paired difference    {low:+.6f} … {high:+.6f} (95 % bootstrap interval)")
    print(f"positions compared   {clear.mean():.1%}")
    for name, same in (("ours", agrees), (arguments.peer, peer_agrees)):
        widest = margin[~same].max(initial=0.0)
        print(
            f"greedy choices       {same[clear].sum()} of {clear.sum()} agree for {name}; "
            f"widest margin that flipped: {widest:.2f} x noise"
        )
    print("close to exact" if close else "TOO FAR FROM EXACT", "|", "greedy agrees" if greedy else "GREEDY DIFFERS")
    return 0 if close and greedy else 1


if __name__ == "__main__":
    sys.exit(main())
