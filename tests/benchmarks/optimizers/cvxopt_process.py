# SPDX-License-Identifier: Apache-2.0
"""Solves the programs that come on standard input with CVXOPT and times each itself; cvxopt.cpp asks.

A request: integers kind (0: quadratic, 1: conic), n, m, p, dense, orthant, number of cones, their rows; the tolerance;
of a quadratic one P in triplets and q, of a conic one c; then G, h, A, b. A reply: status, seconds, x, z, y.
"""
import array
import os
import signal
import statistics
import sys
import time

import cvxopt
import cvxopt.solvers

requests = os.fdopen(os.dup(0), "rb")
replies = os.fdopen(os.dup(1), "wb")


LONGEST = 10  # [s]; a solve that takes longer is no answer


def end_solve(*_):
    raise TimeoutError


signal.signal(signal.SIGALRM, end_solve)


def read(kind, count):
    values = array.array(kind)
    if count > 0:
        values.fromfile(requests, count)
    return values


def vector(count):
    return cvxopt.matrix(read("d", count), (count, 1)) if count > 0 else cvxopt.matrix(0.0, (0, 1))


def matrix(rows, columns, dense):
    (count,) = read("l", 1)
    row, column, value = read("l", count), read("l", count), read("d", count)
    entries_of = [cvxopt.matrix(part) if count else [] for part in (value, row, column)]
    sparse = cvxopt.spmatrix(*entries_of, (rows, columns))
    return cvxopt.matrix(sparse) if dense else sparse


def median_time(solve):
    times, answer = [], None
    while len(times) < 4 or (len(times) < 200 and sum(times) < 0.05):
        start = time.thread_time()
        signal.alarm(LONGEST)
        try:
            answer = solve()
        except (ArithmeticError, ValueError, TimeoutError):  # the first two of a singular matrix
            return float(LONGEST), None
        finally:
            signal.alarm(0)
        times.append(time.thread_time() - start)
        if sum(times) > 0.5:
            break
    return statistics.median(times[1:] if len(times) > 1 else times), answer


def entries(values, count):
    found = array.array("d", values) if values is not None else array.array("d")
    return found if len(found) == count else array.array("d", [float("nan")] * count)


def serve():
    kind, n, m, p, dense, orthant, cones = read("l", 7)
    sizes = list(read("l", cones))
    (tolerance,) = read("d", 1)
    options = cvxopt.solvers.options
    options["show_progress"] = False
    options["abstol"] = options["reltol"] = options["feastol"] = tolerance
    if kind == 0:
        P = matrix(n, n, dense)
    c = vector(n)
    G, h = matrix(m, n, dense), vector(m)
    A, b = matrix(p, n, dense), vector(p)
    if kind == 0:
        inequalities = (G, h) if m else (None, None)
        equations = (A, b) if p else (None, None)
        seconds, answer = median_time(lambda: cvxopt.solvers.coneqp(P, c, *inequalities, None, *equations))
    else:
        dims = {"l": orthant, "q": sizes, "s": []}
        equations = (A, b) if p else (None, None)
        seconds, answer = median_time(lambda: cvxopt.solvers.conelp(c, G, h, dims, *equations))
    statuses = {"optimal": 0, "primal infeasible": 1, "dual infeasible": 2}
    status = statuses.get(answer["status"], 3) if answer else 3
    array.array("l", [status]).tofile(replies)
    array.array("d", [seconds]).tofile(replies)
    for name, count in (("x", n), ("z", m), ("y", p)):
        entries(answer[name] if answer else None, count).tofile(replies)
    replies.flush()


array.array("l", [1]).tofile(replies)
replies.flush()
while True:
    try:
        serve()
    except EOFError:
        break
