"""
Measures how well simulated Linux hosts can be distinguished from real ones by the form of their check data, not by their size or load.

    python3 scripts/judge-hosts.py real.ndjson simulated.ndjson ['a feature' …]

    python3 scripts/judge-hosts.py --hosts simulated.ndjson one-machine.ndjson another.ndjson …

Each file has one document of check data per line, as returned by the agent's web server. Named features are excluded, such as those that
follow from the purpose of the real machines. Requires scikit-learn. There are two judges:

- outlier: a forest trained only on simulated hosts rates how unusual a document is among them. It is the fair judge if all real documents
  come from a few machines, because it cannot learn what only these have in common.
- classifier: a forest trained on both. With few real machines, it learns these machines.

With `--hosts`, each further file is one machine, whose last four documents count, and the simulated file has one document per host. Each
machine in turn is excluded from the training. Its figure is its rank among simulated hosts that were excluded, too. The mean is an area
under the curve, and its range comes from resampling the machines. Features of processors are excluded.

An area under the curve of 0.5 means that a judge guesses, 1 that it is never wrong.
"""

import json
import statistics
import sys

import numpy
from sklearn.ensemble import IsolationForest, RandomForestClassifier
from sklearn.metrics import roc_auc_score

TREES = 300
# Features that depend on processor speed and clock resolution, which are emulated on machines booted for the comparison.
OF_PROCESSORS = ("programs not asleep", "threads that work", "time of a run", "digits of a second")


def share(values):
    values = list(values)
    return sum(1 for value in values if value) / len(values) if values else 0.0


def spread(values):
    """Interquartile range of the binary logarithms."""
    logs = sorted(numpy.log2(value) for value in values if value > 0)
    return logs[3 * len(logs) // 4] - logs[len(logs) // 4] if len(logs) > 3 else 0.0


def trailing_zeros(value):
    return (value & -value).bit_length() - 1 if value > 0 else 0


def of_processes(processes, total):
    programs = [one for one in processes if not one["cmdline"].startswith("[")]
    threads = [one for one in processes if one["cmdline"].startswith("[")]
    rss = [one["Memory"]["rss"] for one in programs]
    vms = [one["Memory"]["vms"] for one in programs]
    pids = [one["pid"] for one in processes]
    known = set(pids) | {0}
    workers = [one["cmdline"] for one in threads if one["cmdline"].startswith("[kworker")]
    off = [abs(one["memory_percent"] - 100 * one["Memory"]["rss"] / total) for one in programs]
    return {
        "pids in order": float(pids == sorted(pids)),
        "parents listed": share(one["ppid"] in known for one in processes),
        "resident memory: zeros at the end": statistics.mean(map(trailing_zeros, rss)) if rss else 0,
        "resident memory: distinct": len(set(rss)) / max(1, len(rss)),
        "mapped memory: zeros at the end": statistics.mean(map(trailing_zeros, vms)) if vms else 0,
        "mapped memory: distinct": len(set(vms)) / max(1, len(vms)),
        "mapped above resident, spread": spread([v / r for v, r in zip(vms, rss) if r > 0]),
        "resident memory, spread": spread(rss),
        "page-ins of programs": share(one["Memory"]["swap"] > 0 for one in programs),
        "page-ins of threads": share(one["Memory"]["swap"] > 0 for one in threads),
        "share of memory is that of resident memory": share(value < 0.06 for value in off),
        "workers twice": 1 - len(set(workers)) / max(1, len(workers)),
        "workers of no core": float(any(one.startswith("[kworker/u") for one in workers)),
        "programs twice": 1 - len({one["cmdline"] for one in programs}) / max(1, len(programs)),
        "threads idle": share("Idle" in one["status"] for one in threads),
        "programs not asleep": share("Sleep" not in one["status"] for one in programs),
        "threads at another priority": share(one["nice_level"] != 0 for one in threads),
        "threads that work": share(one["cpu_percent"] > 0 for one in threads),
        "gap of pids after the threads": spread([b - a for a, b in zip(pids, pids[1:]) if b > a]),
    }


def of_disks(devices):
    used = [one for one in devices.values() if one["ReadCount"] > 100]
    times = [one["IoTime"] / (one["ReadTime"] + one["WriteTime"]) for one in used if one["ReadTime"] + one["WriteTime"] > 100]
    return {
        "busy of waiting": statistics.mean(times) if times else 0.5,
        "sectors in whole blocks": share(one["ReadBytes"] % 8 == 0 for one in used),
        "devices that were never used": share(one["ReadCount"] == 0 for one in devices.values()),
        "devices that were not written to": share(one["WriteCount"] == 0 for one in used),
    }


def of_cards(cards):
    told = [one for one in cards.values() if one["packets_recv"] > 1000]
    return {
        "cards that lose packets": share(one["dropin"] + one["dropout"] > 0 for one in told),
        "cards with errors": share(one["errin"] + one["errout"] > 0 for one in told),
        "cards that lie still": share(one["packets_recv"] + one["packets_sent"] == 0 for one in cards.values()),
        "loopback sends what it receives": float(all(cards[name]["bytes_recv"] == cards[name]["bytes_sent"] for name in cards if name == "lo")),
    }


def of_rest(document):
    memory, agent, cpu = document["memory"], document["agent"], document["cpu"]
    cached = memory["available"] - memory["free"]
    fraction = agent["last_updated"].split(" ")[1].partition(".")[2]
    modes = cpu["cpu_total_percentage_detailed"]
    return {
        "memory in pages": float(all(memory[key] % 4096 == 0 for key in ("total", "available", "free", "inactive"))),
        "inactive of cached": memory["inactive"] / cached if cached > 0 else 0,
        "modes of cores": sum(modes.values()),
        "cores alike": len(set(cpu["cpu_percentage"])) / len(cpu["cpu_percentage"]),
        "digits of a second": len(fraction),
        "time of a run": document["ntp"]["TimestampMicro"] / 1e6 - agent["last_updated_timestamp"] - float(f"0.{fraction or 0}"),
    }


def features(document):
    return {
        **of_processes(document["processes"], document["memory"]["total"]),
        **of_disks(document["disk_io"]),
        **of_cards(document["net_io"]),
        **of_rest(document),
    }


def read(path):
    with open(path, encoding="utf-8") as lines:
        return [features(json.loads(line)) for line in lines]


def machine_by_machine(simulated_path, *paths):
    simulated = read(simulated_path)
    machines = {path: read(path)[-4:] for path in paths}
    names = [name for name in simulated[0] if name not in OF_PROCESSORS]

    def values(documents):
        return numpy.array([[one[name] for name in names] for one in documents], dtype=float)

    chance = numpy.random.default_rng(1)
    order = chance.permutation(len(simulated))
    known, others = values(simulated)[order[::2]], values(simulated)[order[1::2]]
    outliers = IsolationForest(n_estimators=TREES, random_state=1).fit(known)
    ranks = []
    for path, own in machines.items():
        rest = numpy.concatenate([values(found) for other, found in machines.items() if other != path])
        labels = [0] * len(known) + [1] * len(rest)
        forest = RandomForestClassifier(n_estimators=TREES, random_state=1, class_weight="balanced", min_samples_leaf=3)
        forest.fit(numpy.vstack([known, rest]), labels)
        strange = [-outliers.score_samples(rows) for rows in (others, values(own))]
        likely = [forest.predict_proba(rows)[:, 1] for rows in (others, values(own))]
        ranks.append([float(numpy.mean(theirs < numpy.mean(its))) for theirs, its in (strange, likely)])
        print(f"{path}: outlier {ranks[-1][0]:.3f}, classifier that knows the others {ranks[-1][1]:.3f}")
    drawn = [numpy.mean([ranks[at] for at in chance.integers(len(ranks), size=len(ranks))], axis=0) for _ in range(2000)]
    for place, name in enumerate(("outlier", "classifier")):
        low, high = numpy.percentile([one[place] for one in drawn], [2.5, 97.5])
        print(f"{name}: {numpy.mean([one[place] for one in ranks]):.3f}, 95 % from {low:.3f} to {high:.3f}")


def main(real_path, simulated_path, *left_out):
    real, simulated = read(real_path), read(simulated_path)
    unknown = [name for name in left_out if name not in real[0]]
    if unknown:
        sys.exit(f"There is no feature {unknown[0]!r}; expected one of {', '.join(real[0])}.")
    names = [name for name in real[0] if name not in left_out]
    rows = numpy.array([[one[name] for name in names] for one in [*simulated, *real]], dtype=float)
    labels = numpy.array([0] * len(simulated) + [1] * len(real))
    # Half of the documents are for training. Real ones are split into periods, so that neighbors stay together.
    train = numpy.concatenate([numpy.arange(len(simulated)) % 2 == 0, numpy.arange(len(real)) * 10 // len(real) % 2 == 0])

    outliers = IsolationForest(n_estimators=TREES, random_state=1).fit(rows[train & (labels == 0)])
    strange = -outliers.score_samples(rows[~train])
    print(f"documents: {len(real)} real, {len(simulated)} simulated; features: {len(names)}")
    print(f"outlier: {roc_auc_score(labels[~train], strange):.3f}")

    forest = RandomForestClassifier(n_estimators=TREES, random_state=1, class_weight="balanced").fit(rows[train], labels[train])
    print(f"classifier: {roc_auc_score(labels[~train], forest.predict_proba(rows[~train])[:, 1]):.3f}")

    print("\n| Feature | Real, 5 % to 95 % | Simulated, 5 % to 95 % | Real within simulated 1 % to 99 % | Alone |\n| --- | --- | --- | --- | --- |")
    for place, name in enumerate(names):
        ours, theirs = rows[labels == 0, place], rows[labels == 1, place]
        low, high = numpy.percentile(ours, [1, 99])
        inside = numpy.mean((theirs >= low) & (theirs <= high))
        alone = roc_auc_score(labels, rows[:, place])
        ranges = [" – ".join(f"{value:.3g}" for value in numpy.percentile(values, [5, 95])) for values in (theirs, ours)]
        print(f"| {name} | {ranges[0]} | {ranges[1]} | {inside:.0%} | {max(alone, 1 - alone):.2f} |")


if __name__ == "__main__":
    if sys.argv[1] == "--hosts":
        machine_by_machine(*sys.argv[2:])
    else:
        main(*sys.argv[1:])
