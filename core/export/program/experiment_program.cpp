// SPDX-License-Identifier: Apache-2.0
#include "core/export/program/experiment_program.h"

#include "core/export/program/data_program.h"
#include "core/export/program/hook_calls.h"
#include "core/export/program/message_writer.h"
#include "core/export/program/metric_program.h"
#include "core/export/program/python_text.h"
#include "core/export/program/references.h"
#include "core/export/program/scope_names.h"
#include "core/export/program/slice_program.h"
#include "core/export/program/strategy_program.h"
#include "core/export/program/tensorflow_object.h"
#include "core/spec/canned_head.h"
#include "core/spec/message_access.h"

#include <fmt/core.h>

#include <set>
#include <string_view>
#include <vector>

namespace cannery::exporting {

namespace {

class ProgramWriter
{
public:
    explicit ProgramWriter(const ProgramRequest& request)
        : m_request(request), m_experiment(withScopeNames(request.experiment)),
          m_writer(m_experiment, m_refused)
    {}

    Result<std::string> text();

private:
    std::string heading() const;
    std::string columns();
    void addColumn(const std::string& name, std::string& text);
    std::string estimator();
    std::string runConfig();
    std::string warmStart();
    std::string inputCall(const spec::Input& input, bool isTraining,
                          const std::string& some = {}) const;
    std::string sliceInput() const;
    std::string listeners() const;
    std::string hooks();
    std::string liveEvaluationCall(const spec::InMemoryEvaluatorHook& hook) const;
    template <typename Message>
    void addExtras(const Message& exporter, const std::string& path, PythonCall& call);
    std::string exporters();
    std::string receiver(spec::Receiver::Kind kind, int namedFeatures, const std::string& path);
    std::string specs();
    std::string mainFunction();

    const ProgramRequest& m_request;
    spec::Experiment m_experiment;
    RefusedFields m_refused;
    MessageWriter m_writer;
    std::set<std::string> m_written; ///< feature columns
    bool m_needsReceiver = false;
    bool m_needsProfiler = false;
};

/// The last version of TensorFlow that has the estimator.
std::string_view versionOf(const spec::Estimator& estimator)
{
    const spec::TensorFlowObject* object =
        tensorflowObject(*spec::memberOf(estimator)->GetDescriptor());
    return object == nullptr ? "" : std::string_view(object->until());
}

/// TensorFlow has no public name for it.
std::string_view wrapperImport(const spec::Estimator& estimator)
{
    const bool hasHead =
        spec::memberOf(estimator)->GetDescriptor()->FindFieldByName("head") != nullptr;
    return hasHead && spec::predictsEveryStep(estimator)
               ? "from tensorflow_estimator.python.estimator.head.sequential_head import "
                 "SequentialHeadWrapper\n"
               : "";
}

std::string ProgramWriter::heading() const
{
    std::string title = m_experiment.name().empty() ? m_request.origin : m_experiment.name();
    for (char& c : title) {
        // A docstring must not end early.
        c = c == '\n' || c == '"' || c == '\\' ? ' ' : c;
    }
    std::set<std::string> modules = dataImports(m_experiment);
    modules.insert("argparse");
    if (m_experiment.train_spec().saving_listener_size() > 0) {
        modules.insert("subprocess");
    }
    std::string imports;
    for (const std::string& module : modules) {
        imports += "import " + module + "\n";
    }
    return fmt::format(R"(#!/usr/bin/env python3
"""{}

The experiment {} as a program of tf.estimator, for TensorFlow {}.
To follow Cannery's run, start it in a folder with Cannery's first checkpoint:
    python {{this file}} --model_dir DIR
"""
{}
import numpy as np
import tensorflow as tf
{}
FOLDER = {}
)",
                       title, m_request.origin, versionOf(m_experiment.estimator()), imports,
                       wrapperImport(m_experiment.estimator()), pythonText(m_request.folder));
}

/// A column after those that it is made of.
void ProgramWriter::addColumn(const std::string& name, std::string& text)
{
    if (!m_written.insert(name).second) {
        return;
    }
    // By position, as messages about a column name it by index.
    for (int i = 0; i < m_experiment.feature_column_size(); ++i) {
        const spec::FeatureColumn& column = m_experiment.feature_column(i);
        const google::protobuf::Message* member = spec::memberOf(column);
        if (column.name() != name || member == nullptr) {
            continue;
        }
        for (const std::string& input : referencedColumns(*member)) {
            addColumn(input, text);
        }
        const std::string made = m_writer.text(
            *member, fmt::format("feature_column[{}].{}", i, spec::memberField(column)->name()));
        // Outside of a graph, tf.feature_column.shared_embeddings refuses to run.
        // TensorFlow makes shared embeddings in a graph only.
        text += m_writer.isSeveral(name)
                    ? fmt::format("with tf.Graph().as_default():\n    {} = {}\n",
                                  m_writer.variable(name), indented(made))
                    : fmt::format("{} = {}\n", m_writer.variable(name), made);
    }
}

std::string ProgramWriter::columns()
{
    std::string text = "\n\n# What the model reads.\n";
    const std::string none = text;
    for (const std::string& name : referencedColumns(m_experiment.estimator())) {
        addColumn(name, text);
    }
    return text == none ? "" : text;
}

std::string ProgramWriter::runConfig()
{
    const spec::RunConfig& config = m_experiment.run_config();
    PythonCall call = m_writer.call(config, "run_config");
    call.add("model_dir", "model_dir");
    // Without a strategy, TensorFlow trains on one device; the argument is left out.
    if (const std::string made =
            strategyProgram(m_experiment.strategy(), "strategy", m_writer, m_refused);
        made != "None") {
        call.add("train_distribute", made);
    }
    if (config.has_eval_distribute()) {
        call.add("eval_distribute",
                 strategyProgram(config.eval_distribute(), "run_config.eval_distribute", m_writer,
                                 m_refused));
    }
    return call.text();
}

std::string ProgramWriter::warmStart()
{
    const spec::WarmStart& warm = m_experiment.warm_start();
    PythonCall call("tf.estimator.WarmStartSettings");
    call.add("ckpt_to_initialize_from", MessageWriter::fileText(warm.ckpt_to_initialize_from()));
    if (warm.has_none()) {
        call.add("vars_to_warm_start", "None");
    } else if (warm.has_variables()) {
        std::vector<std::string> patterns;
        for (const std::string& pattern : warm.variables().pattern()) {
            patterns.push_back(pythonText(pattern));
        }
        call.add("vars_to_warm_start", pythonList(patterns));
    } else if (warm.has_pattern()) {
        call.add("vars_to_warm_start", pythonText(warm.pattern()));
    }
    std::string vocabularies;
    for (int i = 0; i < warm.var_name_to_vocab_info_size(); ++i) {
        const spec::WarmStartVocabulary& info = warm.var_name_to_vocab_info(i);
        vocabularies += fmt::format(
            "\n    {}: {},", pythonText(info.var_name()),
            indented(m_writer.text(info, fmt::format("warm_start.var_name_to_vocab_info[{}]", i))));
    }
    if (!vocabularies.empty()) {
        call.add("var_name_to_vocab_info", "{" + vocabularies + "\n}");
    }
    std::vector<std::string> names;
    for (const spec::WarmStartName& name : warm.var_name_to_prev_var_name()) {
        names.push_back(
            fmt::format("{}: {}", pythonText(name.var_name()), pythonText(name.prev_var_name())));
    }
    if (!names.empty()) {
        std::string list = pythonList(names);
        // pythonList() wraps lines; its brackets become those of a dictionary.
        list.front() = '{';
        list.back() = '}';
        call.add("var_name_to_prev_var_name", list);
    }
    return call.text();
}

std::string ProgramWriter::estimator()
{
    const google::protobuf::Message* member = spec::memberOf(m_experiment.estimator());
    if (m_experiment.train_spec().class_weight_size() > 0) {
        m_refused.add("train_spec.class_weight", "it is Cannery's own; use a weight_column");
    }
    PythonCall call = m_writer.call(
        *member, fmt::format("estimator.{}", spec::memberField(m_experiment.estimator())->name()));
    if (m_experiment.has_warm_start() &&
        !m_experiment.warm_start().ckpt_to_initialize_from().empty()) {
        call.add("warm_start_from", indented(warmStart()));
    }
    call.add("config", "config");
    return fmt::format("\n\ndef make_estimator(model_dir):\n    config = {}\n    return {}\n",
                       indented(runConfig()), indented(call.text()));
}

/// `some`: the variable with the rows, in place of all of the part.
std::string ProgramWriter::inputCall(const spec::Input& input, bool isTraining,
                                     const std::string& some) const
{
    // TensorFlow's input_fn does not see RunConfig's seed, so it is passed on.
    const std::string seed = input.has_shuffle_seed() ? fmt::format("{}", input.shuffle_seed())
                             : m_experiment.run_config().has_tf_random_seed()
                                 ? fmt::format("{}", m_experiment.run_config().tf_random_seed())
                                 : "None";
    // Training repeats its input without end; an evaluation takes it once.
    const std::string epochs = input.num_epochs() > 0 ? fmt::format("{}", input.num_epochs())
                               : isTraining           ? "None"
                                                      : "1";
    PythonCall call("input_fn");
    call.add(pythonBool(isTraining))
        .add("batch_size", fmt::format("{}", input.batch_size()))
        .add("shuffle", pythonBool(input.shuffle()))
        .add("seed", seed)
        .add("epochs", epochs)
        .add("drop_remainder", pythonBool(input.drop_remainder()));
    if (!some.empty()) {
        call.add("some", some);
    }
    return call.text();
}

/// The rows of a group, in their order.
std::string ProgramWriter::sliceInput() const
{
    spec::Input input = m_experiment.eval_spec().input();
    input.set_shuffle(false);
    return inputCall(input, false, "rows");
}

std::string ProgramWriter::listeners() const
{
    std::vector<std::string> list;
    for (const spec::SavingListener& listener : m_experiment.train_spec().saving_listener()) {
        list.push_back(listenerCall(listener));
    }
    return list.empty() ? "" : pythonList(list);
}

std::string ProgramWriter::liveEvaluationCall(const spec::InMemoryEvaluatorHook& hook) const
{
    PythonCall call("tf.estimator.experimental.InMemoryEvaluatorHook");
    call.add("estimator");
    call.add(inputCall(m_experiment.eval_spec().input(), false));
    call.add("steps", hook.steps() == 0 ? std::string("None") : fmt::format("{}", hook.steps()));
    if (!hook.name().empty()) {
        call.add("name", pythonText(hook.name()));
    }
    call.add("every_n_iter", fmt::format("{}", hook.every_n_iter()));
    return call.text();
}

std::string ProgramWriter::hooks()
{
    std::vector<std::string> list;
    for (const spec::Hook& hook : m_experiment.train_spec().hook()) {
        switch (hook.kind_case()) {
        case spec::Hook::kProfilerHook:
            m_needsProfiler = true;
            list.push_back(profilerCall(hook.profiler_hook()));
            break;
        case spec::Hook::kInMemoryEvaluatorHook:
            list.push_back(liveEvaluationCall(hook.in_memory_evaluator_hook()));
            break;
        case spec::Hook::KIND_NOT_SET:
            break;
        default:
            list.push_back(conditionCall(hook));
        }
    }
    return list.empty() ? "" : pythonList(list);
}

std::string ProgramWriter::receiver(spec::Receiver::Kind kind, int namedFeatures,
                                    const std::string& path)
{
    if (kind == spec::Receiver::raw || namedFeatures > 0) {
        m_refused.add(path + ".receiver", "a program exports for serialized tf.Example only");
    }
    m_needsReceiver = true;
    return "serving_input_receiver_fn";
}

/// What every kind of exporter has beyond its receiver.
template <typename Message>
void ProgramWriter::addExtras(const Message& exporter, const std::string& path, PythonCall& call)
{
    if (exporter.warmup_rows() > 0) {
        m_refused.add(path + ".warmup_rows", "TensorFlow's exporters write no requests");
    }
    std::vector<std::string> files;
    for (const spec::AssetFile& asset : exporter.assets_extra()) {
        files.push_back(
            fmt::format("{}: {}", pythonText(asset.name()), MessageWriter::fileText(asset.file())));
    }
    if (!files.empty()) {
        std::string list = pythonList(files);
        list.front() = '{';
        list.back() = '}';
        call.add("assets_extra", list);
    }
    if (exporter.as_text()) {
        call.add("as_text", "True");
    }
}

std::string ProgramWriter::exporters()
{
    std::vector<std::string> list;
    const auto keepText = [](std::int64_t count) {
        return count == 0 ? std::string("None") : fmt::format("{}", count);
    };
    for (int i = 0; i < m_experiment.eval_spec().exporter_size(); ++i) {
        const spec::Exporter& exporter = m_experiment.eval_spec().exporter(i);
        const std::string path = fmt::format("eval_spec.exporter[{}]", i);
        if (exporter.has_final_exporter()) {
            const spec::FinalExporter& one = exporter.final_exporter();
            PythonCall call("tf.estimator.FinalExporter");
            call.add(pythonText(one.name()));
            call.add(receiver(one.receiver(), one.receiver_features_size(), path));
            addExtras(one, path, call);
            list.push_back(call.text());
        } else if (exporter.has_latest_exporter()) {
            const spec::LatestExporter& one = exporter.latest_exporter();
            PythonCall call("tf.estimator.LatestExporter");
            call.add(pythonText(one.name()));
            call.add(receiver(one.receiver(), one.receiver_features_size(), path));
            call.add("exports_to_keep", keepText(one.exports_to_keep()));
            addExtras(one, path, call);
            list.push_back(call.text());
        } else {
            const spec::BestExporter& one = exporter.best_exporter();
            const std::string metric = pythonText(one.metric());
            PythonCall call("tf.estimator.BestExporter");
            call.add("name", pythonText(one.name()));
            call.add("serving_input_receiver_fn",
                     receiver(one.receiver(), one.receiver_features_size(), path));
            call.add("exports_to_keep", keepText(one.exports_to_keep()));
            call.add("compare_fn", fmt::format("lambda best_eval_result, current_eval_result: "
                                               "current_eval_result[{}] {} best_eval_result[{}]",
                                               metric, one.higher_is_better() ? ">" : "<", metric));
            addExtras(one, path, call);
            list.push_back(call.text());
        }
    }
    return list.empty() ? "" : pythonList(list);
}

/// The body of main() from the estimator on.
std::string ProgramWriter::specs()
{
    const spec::TrainSpec& train = m_experiment.train_spec();
    PythonCall trainSpec("tf.estimator.TrainSpec");
    trainSpec.add(inputCall(train.input(), true));
    trainSpec.add("max_steps", "arguments.max_steps");
    if (const std::string list = hooks(); !list.empty()) {
        trainSpec.add("hooks", list);
    }
    if (const std::string list = listeners(); !list.empty()) {
        trainSpec.add("saving_listeners", list);
    }
    const std::string body = fmt::format("    train_spec = {}\n", indented(trainSpec.text()));
    // Without rows for evaluation there is no EvalSpec, and train_and_evaluate() needs one.
    if (!m_experiment.data().has_eval() && !m_experiment.data().has_split()) {
        return body + "    estimator.train(train_spec.input_fn, hooks=train_spec.hooks, "
                      "max_steps=train_spec.max_steps,\n"
                      "                    saving_listeners=train_spec.saving_listeners)\n";
    }
    const spec::EvalSpec& eval = m_experiment.eval_spec();
    PythonCall evalSpec("tf.estimator.EvalSpec");
    evalSpec.add(inputCall(eval.input(), false));
    evalSpec.add("steps", eval.steps() == 0 ? "None" : fmt::format("{}", eval.steps()));
    if (!eval.name().empty()) {
        evalSpec.add("name", pythonText(eval.name()));
    }
    if (const std::string list = exporters(); !list.empty()) {
        evalSpec.add("exporters", list);
    }
    evalSpec.add("start_delay_secs", fmt::format("{}", eval.start_delay_secs()));
    evalSpec.add("throttle_secs", fmt::format("{}", eval.throttle_secs()));
    return body +
           fmt::format("    eval_spec = {}\n"
                       "    metrics, exports = tf.estimator.train_and_evaluate("
                       "estimator, train_spec, eval_spec)\n"
                       "    print(metrics)\n",
                       indented(evalSpec.text())) +
           sliceLoop(m_experiment, sliceInput());
}

std::string ProgramWriter::mainFunction()
{
    const std::string maxSteps = m_experiment.train_spec().has_max_steps()
                                     ? fmt::format("{}", m_experiment.train_spec().max_steps())
                                     : "None";
    return fmt::format(R"(

def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--model_dir', default='model')
    parser.add_argument('--max_steps', type=int, default={})
    arguments = parser.parse_args()
    tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.INFO)
{}    estimator = make_estimator(os.path.abspath(arguments.model_dir))
{}{}

if __name__ == '__main__':
    main()
)",
                       maxSteps, precisionProgram(m_experiment.strategy(), m_refused),
                       m_experiment.eval_spec().metric().empty()
                           ? ""
                           : "    estimator = tf.estimator.add_metrics(estimator, "
                             "additional_metrics)\n",
                       specs());
}

/// serving_input_receiver_fn, over every column that the estimator reads.
std::string receiverText(const std::vector<std::string>& columns)
{
    return fmt::format("\n\nserving_input_receiver_fn = "
                       "tf.estimator.export.build_parsing_serving_input_receiver_fn(\n"
                       "    tf.feature_column.make_parse_example_spec({}))\n",
                       indented(pythonList(columns)));
}

Result<std::string> ProgramWriter::text()
{
    if (spec::memberOf(m_experiment.estimator()) == nullptr) {
        m_refused.add("estimator", "there is none");
        return tl::make_unexpected(m_refused.result().error());
    }
    // All parts are written before refusals are looked at, so that a person gets every reason at
    // once.
    const std::string data = dataProgram(m_experiment, m_refused);
    const std::string columnText = columns();
    const std::string estimatorText = estimator();
    const std::string metricText = metricProgram(m_experiment, m_writer, m_refused);
    const std::string sliceText = sliceFunction(m_experiment, m_refused);
    const std::string mainText = mainFunction();
    CANNERY_TRY(m_refused.result());
    std::string receivers;
    // The receiver parses what the estimator's columns read, whichever exporter asks for it.
    if (m_needsReceiver) {
        std::vector<std::string> read;
        for (const std::string& name : referencedColumns(m_experiment.estimator())) {
            read.push_back(m_writer.columnText(name));
        }
        receivers = receiverText(read);
    }
    std::string helpers = m_needsProfiler ? profilerFunction() : "";
    helpers += m_experiment.train_spec().saving_listener().empty() ? "" : listenerClass();
    return heading() + data + columnText + receivers + helpers + estimatorText + metricText +
           sliceText + mainText;
}

} // namespace

Result<std::string> experimentProgram(const ProgramRequest& request)
{
    return ProgramWriter(request).text();
}

} // namespace cannery::exporting
