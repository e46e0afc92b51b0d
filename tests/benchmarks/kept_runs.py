#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs that are recorded, killed, started again from their last checkpoint, compared and looked at.

    kept_runs.py BUILD [SCENE[:STEPS]...] [--folder FOLDER] [--browser] [--paraview]

BUILD is a build with benchmarks and the command (its tests/bench_kept_runs, io/command/nonsmooth). SCENE: disks, pile,
small_pile (of 1 000 spheres), circuit, events; all but small_pile by default. Of each:

1. A run to its end is recorded.
2. Another one, the same, is killed (SIGKILL) at a step that is drawn at random from the second half.
3. It goes on from the last checkpoint of the killed run's file, to the end.
4. `nonsmooth compare --restarted` compares 1 and 3: the same bits, or this program fails.
5. `nonsmooth view` makes the page of 1; with --browser it is played in headless Chromium (tests/io/page_in_browser.py),
   where its own script takes more than 10 ms a frame or its console has an error, this program fails.
6. With --paraview: `nonsmooth paraview` writes the folder of 1, with contacts and without.

Prints a row of a table for each, with times and sizes, and of 6 another table. Files stay in FOLDER where one is given.
"""
import argparse
import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time

SIGKILLED = -9


class Failure(Exception):
    pass


def call(arguments, allowed=(0,)):
    """Standard output and seconds of a program that ends with one of these codes."""
    start = time.monotonic()
    done = subprocess.run(arguments, capture_output=True, text=True)
    if done.returncode not in allowed:
        raise Failure(f"{' '.join(arguments)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout, time.monotonic() - start


def megabytes(path):
    return os.path.getsize(path) / 1e6


class KeptRun:
    """The files of a scene, and what was found."""

    def __init__(self, build, scene, steps, folder):
        self.program = os.path.join(build, "tests", "bench_kept_runs")
        self.command = os.path.join(build, "io", "command", "nonsmooth")
        self.scene = scene
        self.steps = ["--steps", steps] if steps else []
        self.whole, self.killed, self.further, self.page = (
            os.path.join(folder, f"{scene}_{name}") for name in ("whole.h5", "killed.h5", "further.h5", "page.html"))

    def record(self, path, *arguments):
        text, _ = call([self.program, self.scene, path, *self.steps, *arguments])
        return json.loads(text.splitlines()[-1])

    def info(self, path):
        return json.loads(call([self.command, "run-info", "--json", path])[0])

    def kill(self, steps):
        die_after = random.randrange(steps // 2, steps)
        call([self.program, self.scene, self.killed, *self.steps, "--die-after", str(die_after)], (SIGKILLED,))
        return die_after

    def row(self, browser):
        first = self.record(self.whole)
        died = self.kill(first["steps"])
        found = self.info(self.killed)
        last = self.record(self.further, "--from", self.killed)
        if last["hash"] != first["hash"]:
            raise Failure(f"{self.scene}: the last states have the hashes {first['hash']} and {last['hash']}")
        compared, compare_seconds = call([self.command, "compare", "--restarted", self.whole, self.further])
        told, view_seconds = call([self.command, "view", self.whole, "-o", self.page])
        print(f"{self.scene}: died after step {died}, {found['steps'] - 1} are in the file; went on from t = "
              f"{last['from']:.6g} s, restored in {last['restore_seconds']:.2g} s; {compared.strip()}; hash {last['hash']}; "
              f"{told.strip()}", flush=True)
        cost = self.look() if browser else "-"
        size = megabytes(self.whole)
        return (f"| {self.scene} | {first['steps']} | {first['seconds']:.3g} | {size:.3g} | {died}, {found['steps'] - 1} | "
                f"{last['restore_seconds']:.2g} | {last['steps']} | {last['seconds']:.3g} | {compare_seconds:.2g} | "
                f"{view_seconds:.2g} | {megabytes(self.page):.3g} | {cost} |")

    def paraview_rows(self):
        """A row of sizes and times for the folder with contacts, and one without."""
        rows = []
        for arguments in ([], ["--no-contacts"]):
            with tempfile.TemporaryDirectory(dir=os.path.dirname(self.whole)) as folder:
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                _, elapsed = call([self.command, "paraview", self.whole, "-o", os.path.join(folder, "run"), *arguments])
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
                files = [os.path.join(root, name) for root, _, names in os.walk(folder) for name in names]
                rows.append(f"| {self.scene}{' `--no-contacts`' if arguments else ''} | "
                            f"{sum(map(megabytes, files)):.3g} MB, {len(files)} files | {cpu:.3g} s | {elapsed:.3g} s |")
        return rows

    def look(self):
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "io", "page_in_browser.py")
        plots = ["--plots"] if self.scene in ("circuit", "events") else []
        text, _ = call([sys.executable, script, *plots, os.path.abspath(self.page)], (0, 77))
        found = re.search(r"own script ([0-9.]+) ms", text)
        return found.group(1) if found else "no browser"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("scenes", nargs="*", default=["disks", "pile", "circuit", "events"])
    parser.add_argument("--folder")
    parser.add_argument("--browser", action="store_true")
    parser.add_argument("--paraview", action="store_true")
    arguments = parser.parse_args()
    rows, folders = [], []
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.folder or scratch
        os.makedirs(folder, exist_ok=True)
        for text in arguments.scenes:
            scene, _, steps = text.partition(":")
            run = KeptRun(arguments.build, scene, steps, folder)
            rows.append(run.row(arguments.browser))
            if arguments.paraview:
                folders += run.paraview_rows()
    print("\n| scene | steps | recorded [s] | file [MB] | died after, in the file | restored [s] | steps further | in [s] "
          "| compared [s] | page [s] | page [MB] | own script [ms a frame] |")
    print("| --- |" + " ---: |" * 11)
    print("\n".join(rows))
    if folders:
        print("\n| ParaView's folder | size | CPU time | elapsed |\n| --- | ---: | ---: | ---: |")
        print("\n".join(folders))


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(str(failure))
