// SPDX-License-Identifier: Apache-2.0
#include "core/export/program/hook_calls.h"

#include "core/export/program/python_text.h"
#include "core/spec/message_access.h"

#include <fmt/core.h>

namespace cannery::exporting {

std::string conditionCall(const spec::Hook& hook)
{
    PythonCall call("tf.estimator.experimental." + spec::memberField(hook)->name());
    call.add("estimator");
    const auto addTimes = [&call](const auto& one) {
        call.add("min_steps", fmt::format("{}", one.min_steps()));
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

} // namespace cannery::exporting
