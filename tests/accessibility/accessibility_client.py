#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-only
"""Does what a user with a screen reader does: finds the rail, starts a sample, reads its progress and
stops it, using only names from AT-SPI. Nothing here depends on the window's classes.

    accessibility_client.py WORKBENCH CANNERY EXAMPLES     (test_accessibility.sh sets up the environment)
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402

warnings.simplefilter("ignore", DeprecationWarning)

PATIENCE = 120
PLACES = ["Home", "Data", "Features", "Model", "Train", "Runs", "Export"]


def listen():
    """Processes events from the bus for a moment; otherwise the view of the window is outdated."""
    end = time.monotonic() + 0.1
    context = GLib.MainContext.default()
    while time.monotonic() < end:
        if not context.iteration(False):
            time.sleep(0.01)


def wait_for(what, condition):
    """The first true result of the condition. The tree may change while it is read."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            found = condition()
            if found:
                return found
        except GLib.GError:
            pass
        listen()
    raise SystemExit("FAIL: no %s within %d seconds" % (what, PATIENCE))


def children(node):
    try:
        count = node.get_child_count()
    except GLib.GError:
        return
    for i in range(count):
        try:
            child = node.get_child_at_index(i)
        except GLib.GError:
            continue
        if child is not None:
            yield child


def walk(node):
    """The node and everything below it that is on the screen, but the cells of tables, each with
    its role and name. What goes away meanwhile is left out."""
    try:
        role = node.get_role()
        if not node.get_state_set().contains(Atspi.StateType.SHOWING) and \
                role != Atspi.Role.APPLICATION:
            return
        yield node, role, node.get_name() or ""
        if role == Atspi.Role.TABLE:
            return
    except GLib.GError:
        return
    for child in children(node):
        yield from walk(child)


def find(node, name, role=None):
    for candidate, its_role, its_name in walk(node):
        if its_name == name and (role is None or its_role == role):
            return candidate
    return None


def press(node):
    if not Atspi.Action.do_action(node, 0):
        raise SystemExit("FAIL: '%s' cannot be pressed" % node.get_name())


def is_enabled(node):
    return node.get_state_set().contains(Atspi.StateType.ENABLED)


def find_application(process):
    desktop = Atspi.get_desktop(0)
    desktop.set_cache_mask(Atspi.Cache.NONE)
    for application in children(desktop):
        if application.get_process_id() == process.pid:
            for window in children(application):
                if window.get_role() == Atspi.Role.FRAME:
                    application.set_cache_mask(Atspi.Cache.NONE)
                    return application
    return None


def rail_of(application):
    """The element whose children are the seven pages."""
    rail = find(application, "Places")
    if rail is None:
        return None
    names = [name for _, _, name in walk(rail)]
    return rail if all(place in names for place in PLACES) else None


def step_of(application):
    """The step that the Train page shows."""
    for _, _, name in walk(application):
        told = re.match(r"([\d,]+) of [\d,]+ steps", name)
        if told:
            return int(told.group(1).replace(",", ""))
    return None


def long_examples(examples, folder):
    """The samples, so long that they run until stopped, and with fewer summaries."""
    copies = os.path.join(folder, "examples")
    shutil.copytree(examples, copies)
    path = os.path.join(copies, "titanic", "titanic.cannery")
    with open(path, encoding="utf-8") as stream:
        text = stream.read()
    with open(path + ".new", "w", encoding="utf-8") as stream:
        text = re.sub(r"max_steps: \d+", "max_steps: 2000000000", text)
        text = re.sub(r"save_checkpoints_steps: \d+",
                      "save_checkpoints_steps: 100000 log_step_count_steps: 20000", text)
        stream.write(re.sub(r"save_summary_steps: \d+", "save_summary_steps: 5000", text))
    os.replace(path + ".new", path)
    return copies


def surroundings(cannery, examples, folder):
    return dict(os.environ, HOME=folder, CANNERY_PROGRAM=cannery,
                CANNERY_EXAMPLES=long_examples(examples, folder),
                XDG_CONFIG_HOME=os.path.join(folder, "config"),
                XDG_CACHE_HOME=os.path.join(folder, "cache"),
                XDG_DATA_HOME=os.path.join(folder, "data"),
                QT_QPA_PLATFORM="xcb", QT_LINUX_ACCESSIBILITY_ALWAYS_ON="1", LC_ALL="C.UTF-8")


def told_by(process):
    """All names in the window, for analysing a failure."""
    if process.poll() is not None:
        return "The window has ended with status %d." % process.returncode
    application = find_application(process)
    names = [name for _, _, name in walk(application) if name] if application else []
    return "\n  ".join(["Names in the window:"] + names)


def journey(process):
    application = wait_for("window", lambda: find_application(process))
    rail = wait_for("rail with its seven places", lambda: rail_of(application))
    print("rail:", ", ".join(PLACES))

    press(wait_for("sample", lambda: find(application, "Train the sample Titanic",
                                          Atspi.Role.PUSH_BUTTON)))
    wait_for("state Running", lambda: find(application, "Running"))
    first = wait_for("step", lambda: step_of(application))
    later = wait_for("later step", lambda: (step_of(application) or 0) > first and
                     step_of(application))
    print("running: step %d, then %d" % (first, later))
    wait_for("chart with a spoken summary", lambda: next(
        (node for node, role, _ in walk(application) if role == Atspi.Role.CHART and
         re.search(r"last [\d.]+", node.get_description() or "")), None))

    stop = wait_for("Stop and Keep", lambda: find(application, "Stop and Keep",
                                                  Atspi.Role.PUSH_BUTTON))
    if not is_enabled(stop):
        raise SystemExit("FAIL: Stop and Keep is disabled during a run")
    press(stop)
    wait_for("state Stopped", lambda: find(application, "Stopped"))
    last = wait_for("last step", lambda: step_of(application))
    if last < later:
        raise SystemExit("FAIL: stopped at step %d, before step %d" % (last, later))
    wait_for("Train button", lambda: find(rail, "Train", Atspi.Role.PUSH_BUTTON))
    print("stopped: step %d" % last)


def end_engines(folder):
    """Kills the engines of an aborted test: their experiment is in this folder."""
    for name in os.listdir("/proc"):
        try:
            with open("/proc/%s/cmdline" % name, "rb") as stream:
                if name.isdigit() and folder.encode() in stream.read():
                    os.kill(int(name), signal.SIGKILL)
        except OSError:
            continue


def main():
    workbench, cannery, examples = sys.argv[1:4]
    folder = tempfile.mkdtemp(prefix="cannery-accessibility-")
    process = None
    try:
        process = subprocess.Popen([workbench, "--fresh"],
                                   env=surroundings(cannery, examples, folder))
        Atspi.init()
        try:
            journey(process)
        except SystemExit:
            print(told_by(process))
            raise
        print("PASS")
    finally:
        if process is not None:
            process.terminate()
            process.wait()
        end_engines(folder)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
