#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-only
"""Edits an experiment in the real window and kills the window at random moments. The next window
must offer the edits of the killed one, and nothing that was in the file may be lost.

    killed_window.py WORKBENCH CANNERY EXAMPLES     (test_accessibility.sh sets up the environment)
"""
import base64
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

import accessibility_client as client
from gi.repository import Atspi

ROUNDS = 12
MOST_EDITS = 25
FIELD = "Max steps"


def text_of(path):
    with open(path, encoding="utf-8") as stream:
        return stream.read()


def steps_in(text):
    return int(re.search(r"max_steps: (\d+)", text).group(1))


def steps_in_journal(experiment):
    """0: there is none."""
    folder, name = os.path.split(experiment)
    try:
        journal = json.loads(text_of(os.path.join(folder, ".%s.edits" % name)))
        return steps_in(base64.b64decode(journal["text"]).decode())
    except (OSError, ValueError):
        return 0


def with_steps(text, steps):
    return re.sub(r"max_steps: \d+", "max_steps: %d" % steps, text)


def fail(words, *numbers):
    raise SystemExit("FAIL: " + words % numbers)


class Window:
    """A window process with the experiment open."""

    def __init__(self, command, experiment, environment):
        self.process = subprocess.Popen([command, experiment], env=environment)
        self.application = client.wait_for(
            "window", lambda: client.find_application(self.process))
        client.wait_for("rail", lambda: client.rail_of(self.application))

    def press(self, name, role=Atspi.Role.PUSH_BUTTON):
        client.press(client.wait_for(name, lambda: self.find(name, role)))

    def find(self, name, role):
        return client.find(self.application, name, role)

    def field(self):
        """The field for the number of steps, on the Train page."""
        if not self.find(FIELD, Atspi.Role.SPIN_BUTTON):
            self.press("Train", Atspi.Role.CHECK_BOX)
        return client.wait_for(FIELD, lambda: self.find(FIELD, Atspi.Role.SPIN_BUTTON))

    def shown_steps(self):
        field = self.field()
        return int(Atspi.Text.get_text(field, 0, -1) or 0)

    def offer(self):
        """What the strip says about recovered changes, if it is there."""
        for _, _, name in client.walk(self.application):
            if name.startswith("Recovered "):
                return name
        return None

    def kill(self):
        self.process.kill()
        self.process.wait()


def edit_until_killed(window, experiment, number, dice):
    """Makes edits and kills the window. Returns the steps that were surely saved, and the last."""
    field = window.field()
    saved = steps_in(text_of(experiment))
    for edit in range(dice.randint(1, MOST_EDITS)):
        number += 1
        Atspi.EditableText.set_text_contents(field, str(number))
        if edit == 0:  # later edits may be lost with the window, but never all
            client.wait_for("journal", lambda: steps_in_journal(experiment) >= number)
        time.sleep(dice.choice([0, 0, 0.002, 0.01, 0.05]))
        saved = max(saved, steps_in(text_of(experiment)))
    window.kill()
    return max(saved, steps_in(text_of(experiment))), number


def check_kept(window, experiment, before, saved, last):
    """Keeps the recovered edits: the newest of them is shown, and the file has it and no other change."""
    window.press("Review…")
    window.press("Keep Changes")
    steps = client.wait_for("recovered edit", lambda: window.shown_steps() >= saved and
                            window.shown_steps())
    if steps > last:
        fail("%d steps were never typed", steps)
    client.wait_for("saved edit", lambda: text_of(experiment) == with_steps(before, steps))
    return steps


def check_discarded(window, experiment, before):
    window.press("Discard Changes")
    client.wait_for("text from before", lambda: text_of(experiment) == before)
    return steps_in(before)


def journey(workbench, experiment, environment):
    dice = random.Random(5)
    number = 1000
    offers = 0
    unsaved = 0
    before = text_of(experiment)
    for turn in range(ROUNDS):
        window = Window(workbench, experiment, environment)
        try:
            saved, number = edit_until_killed(window, experiment, number, dice)
            on_disk = steps_in(text_of(experiment))
            window = Window(workbench, experiment, environment)
            client.wait_for("offer", window.offer)
            offers += 1
            if turn % 3 == 2:
                steps = check_discarded(window, experiment, before)
            else:
                steps = check_kept(window, experiment, before, saved, number)
                unsaved += 1 if steps > on_disk else 0
                before = text_of(experiment)
            print("round %d: typed up to %d, file had %d, now %d" % (turn, number, on_disk, steps))
        finally:
            window.process.terminate()
            window.process.wait()
    if offers != ROUNDS:
        fail("%d offers in %d rounds", offers, ROUNDS)
    print("edits that had not reached the file came back in %d rounds" % unsaved)


def main():
    workbench, cannery, examples = sys.argv[1:4]
    folder = tempfile.mkdtemp(prefix="cannery-killed-")
    try:
        shutil.copytree(os.path.join(examples, "titanic"), os.path.join(folder, "titanic"))
        for path, _, files in os.walk(folder):
            for name in files:
                os.chmod(os.path.join(path, name), 0o644)
        environment = client.surroundings(cannery, examples, folder)
        Atspi.init()
        journey(workbench, os.path.join(folder, "titanic", "titanic.cannery"), environment)
        print("PASS")
    finally:
        client.end_engines(folder)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
