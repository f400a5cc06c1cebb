// SPDX-License-Identifier: Apache-2.0
#include "tests/core/spec/experiment_error_cases.h"

namespace cannery::tests {

namespace {

/// The text is line 3.
void addThird(const char* name, const std::string& line, const std::string& expected)
{
    addCase(name,
            "data { train { csv { files: \"a\" } } label { column: \"y\" } split {} }\n"
            "estimator { baseline_classifier {} }\n" +
                line + "\n",
            expected);
}

void addHooks()
{
    addThird("profiler without a cadence", "train_spec { max_steps: 5 hook { profiler_hook {} } }",
             "3:34 spec.profiler_cadence [train_spec.hook[0].profiler_hook]\n");
    addThird("profiler with two cadences",
             "train_spec { max_steps: 5 hook { profiler_hook { save_steps: 5 save_secs: 5 } } }",
             "3:75 spec.profiler_cadence [train_spec.hook[0].profiler_hook.save_secs]\n");
    addThird("profiles outside the run",
             "train_spec { max_steps: 5 hook { profiler_hook { save_steps: 5 output_dir: \"../up\" "
             "} } }",
             "3:76 spec.profiler_folder [train_spec.hook[0].profiler_hook.output_dir]\n");
    addThird("live evaluation of a name that is not a folder",
             "train_spec { max_steps: 5 hook { in_memory_evaluator_hook { name: \"a/b\" } } }",
             "3:67 spec.bad_folder_name [train_spec.hook[0].in_memory_evaluator_hook.name]\n");
    addThird("live evaluation of several devices",
             "train_spec { max_steps: 5 hook { in_memory_evaluator_hook {} } } strategy { "
             "virtual_shards: 2 }",
             "3:34 spec.live_evaluation_alone [train_spec.hook[0].in_memory_evaluator_hook]\n");
    addThird("observing hooks end no training",
             "train_spec { hook { profiler_hook { save_steps: 5 } } }",
             "~3:1 spec.endless_training [train_spec]\n");
}

void addListenersAndFiles()
{
    addThird("listener without a program", "train_spec { max_steps: 5 saving_listener {} }",
             "3:27 spec.too_few [train_spec.saving_listener[0].command]\n");
    addThird("listener of an empty program",
             "train_spec { max_steps: 5 saving_listener { command: [\"\", \"x\"] } }",
             "3:55 spec.listener_program [train_spec.saving_listener[0].command[0]]\n");
    addThird("listener without saves",
             "train_spec { max_steps: 5 saving_listener { command: \"x\" } } run_config { "
             "save_checkpoints_steps: 0 }",
             "3:27 spec.listener_without_saves [train_spec.saving_listener[0]]\n");
    addThird("extra file outside",
             "train_spec { max_steps: 5 } eval_spec { exporter { final_exporter { assets_extra { "
             "name: \"/x\" file: \"f\" } } } }",
             "3:90 spec.asset_name [eval_spec.exporter[0].final_exporter.assets_extra[/x].name]\n");
    addThird(
        "extra file twice",
        "train_spec { max_steps: 5 } eval_spec { exporter { final_exporter { assets_extra { name: "
        "\"a/b\" file: \"f\" } assets_extra { name: \"a/b\" file: \"g\" } } } }",
        "3:129 spec.asset_twice [eval_spec.exporter[0].final_exporter.assets_extra[1].name]\n");
    addThird(
        "extra file in place of requests",
        "train_spec { max_steps: 5 } eval_spec { exporter { final_exporter { warmup_rows: 3 "
        "assets_extra { name: \"tf_serving_warmup_requests\" file: \"f\" } } } }",
        "3:105 spec.asset_twice "
        "[eval_spec.exporter[0].final_exporter.assets_extra[tf_serving_warmup_requests].name]\n");
    addThird(
        "extra file in place of the experiment",
        "train_spec { max_steps: 5 } eval_spec { exporter { final_exporter { assets_extra { name: "
        "\"cannery/experiment.cannery\" file: \"f\" } } } }",
        "3:90 spec.asset_twice "
        "[eval_spec.exporter[0].final_exporter.assets_extra[cannery/experiment.cannery].name]\n");
    addThird("argument of TensorFlow only",
             "train_spec { max_steps: 5  } run_config { session_config {} }",
             "3:43 spec.tensorflow_only_field [run_config.session_config]\n");
}

} // namespace

void addErrorsOfRunning()
{
    addHooks();
    addListenersAndFiles();
    addCase("live evaluation without rows",
            "data { train { csv { files: \"a\" } } label { column: \"y\" } }\n"
            "estimator { baseline_classifier {} }\n"
            "train_spec { max_steps: 5 hook { in_memory_evaluator_hook {} } }\n",
            "3:34 spec.live_evaluation_rows [train_spec.hook[0].in_memory_evaluator_hook]\n");
}

} // namespace cannery::tests
