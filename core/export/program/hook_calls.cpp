// SPDX-License-Identifier: Apache-2.0
#include "core/export/program/hook_calls.h"

#include "core/export/program/python_text.h"
#include "core/spec/message_access.h"

#include <fmt/core.h>

#include <vector>

namespace cannery::exporting {

std::string conditionCall(const spec::Hook& hook)
{
    PythonCall call("tf.estimator.experimental." + spec::memberField(hook)->name());
    call.add("estimator");
    const auto addTimes = [&call](const auto& one) {
        call.add("min_steps", fmt::format("{}", one.min_steps()));
        // TensorFlow takes seconds or steps, not both; the unused one is None.
        call.add("run_every_secs", one.has_run_every_steps()
                                       ? std::string("None")
                                       : fmt::format("{}", one.run_every_secs()));
        if (one.has_run_every_steps()) {
            call.add("run_every_steps", fmt::format("{}", one.run_every_steps()));
        }
    };
    if (hook.has_stop_if_higher_hook() || hook.has_stop_if_lower_hook()) {
        const spec::StopIfHook& one =
            hook.has_stop_if_higher_hook() ? hook.stop_if_higher_hook() : hook.stop_if_lower_hook();
        call.add("metric_name", pythonText(one.metric_name()));
        call.add("threshold", pythonNumber(one.threshold()));
        addTimes(one);
    } else {
        const bool isIncrease = hook.has_stop_if_no_increase_hook();
        const spec::StopIfNoChangeHook& one =
            isIncrease ? hook.stop_if_no_increase_hook() : hook.stop_if_no_decrease_hook();
        call.add("metric_name", pythonText(one.metric_name()));
        call.add(isIncrease ? "max_steps_without_increase" : "max_steps_without_decrease",
                 fmt::format("{}", one.max_steps_without_change()));
        addTimes(one);
    }
    return call.text();
}

std::string profilerCall(const spec::ProfilerHook& hook)
{
    PythonCall call("profiler_hook");
    if (hook.has_save_steps()) {
        call.add("save_steps", fmt::format("{}", hook.save_steps()));
    }
    if (hook.has_save_secs()) {
        call.add("save_secs", fmt::format("{}", hook.save_secs()));
    }
    call.add("output_dir", hook.output_dir().empty()
                               ? std::string("estimator.model_dir")
                               : fmt::format("os.path.join(estimator.model_dir, {})",
                                             pythonText(hook.output_dir())));
    return call.text();
}

std::string profilerFunction()
{
    return R"(

def profiler_hook(**arguments):
    with tf.Graph().as_default():  # outside of one, it cannot open its event file
        return tf.compat.v1.train.ProfilerHook(**arguments)
)";
}

std::string listenerCall(const spec::SavingListener& listener)
{
    std::vector<std::string> words;
    for (const std::string& word : listener.command()) {
        words.push_back(pythonText(word));
    }
    PythonCall call("RunProgram");
    call.add("estimator.model_dir");
    call.add(pythonText(spec::SavingListener::Moment_Name(listener.when())));
    call.add(pythonList(words));
    call.add("timeout", fmt::format("{}", listener.timeout_secs()));
    if (listener.stop_on_failure()) {
        call.add("stop_on_failure", "True");
    }
    return call.text();
}

/// As core/train/loop/command_listener.h runs programs.
std::string listenerClass()
{
    return R"(

class RunProgram(tf.estimator.CheckpointSaverListener):
    """Runs a program at a moment of the saver."""

    def __init__(self, model_dir, moment, command, timeout, stop_on_failure=False):
        self.model_dir, self.moment, self.command = model_dir, moment, command
        self.timeout, self.stop_on_failure = timeout, stop_on_failure

    def run(self, moment, step):
        """Whether training is to stop."""
        if moment != self.moment:
            return False
        words = [word.replace('{checkpoint}', os.path.join(self.model_dir, 'model.ckpt-%d' % step))
                 .replace('{model_dir}', self.model_dir).replace('{global_step}', str(step))
                 for word in self.command]
        try:
            failed = subprocess.run(words, cwd=FOLDER, timeout=self.timeout).returncode != 0
        except (OSError, subprocess.TimeoutExpired):
            failed = True
        if failed:
            tf.compat.v1.logging.warning('The program %s has failed.', words[0])
        return failed and self.stop_on_failure

    def begin(self):
        latest = tf.train.latest_checkpoint(self.model_dir)
        self.run('begin', int(latest.rpartition('-')[2]) if latest else 0)

    def before_save(self, session, global_step_value):
        self.run('before_save', global_step_value)

    def after_save(self, session, global_step_value):
        return self.run('after_save', global_step_value)

    def end(self, session, global_step_value):
        self.run('end', global_step_value)
)";
}

} // namespace cannery::exporting
