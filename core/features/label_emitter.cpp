// SPDX-License-Identifier: Apache-2.0
#include "core/features/label_emitter.h"

#include "core/features/feature_graph.h"
#include "core/features/label_encoder.h"
#include "core/features/raw_schema.h"
#include "core/features/vocabulary.h"
#include "core/spec/canned_head.h"
#include "core/spec/experiment.pb.h"
#include "storage/tf/graphs/graph_def_builder.h"

#include <fmt/format.h>

namespace cannery::features {

using storage::GraphDefBuilder;
using storage::HostTensor;
using storage::NodeRef;

namespace {

constexpr ErrorKind kWithoutLabels{"features.no_labels",
                                   "The model learns without labels, so there is no graph for its "
                                   "training or evaluation. Export the serving graph only."};

/// TensorFlow's key of the only label.
constexpr const char* kOnlyLabel = "label";
/// Of an element that only fills up a row, and of a word that is not a class.
constexpr std::int64_t kLabelPadding = -1;
constexpr std::int64_t kUnknownLabel = -2;

/// What `data` states about the label of a head.
struct LabelSource
{
    std::string column; ///< empty if it is made of several
    bool isSplit = false;
};

template <typename Message>
LabelSource sourceOf(const Message& label)
{
    if (label.has_split()) {
        return {.column = label.split().column(), .isSplit = true};
    }
    return {.column = label.has_column() ? label.column() : std::string()};
}

LabelSource sourceOf(const spec::Label& label, const std::string& head)
{
    for (const spec::HeadLabel& part : label.heads().head()) {
        if (part.name() == head) {
            return sourceOf<spec::HeadLabel>(part);
        }
    }
    return sourceOf<spec::Label>(label);
}

/// The nodes of one head's labels, in a scope of their own.
class LabelGraph
{
public:
    LabelGraph(GraphDefBuilder& graph, const LabelRule& rule) : m_graph(graph), m_rule(rule) {}

    /// Floats [batch, width] of what the placeholder gets.
    NodeRef emit(const ReceiverTensor& input, bool isSplit)
    {
        const auto scope = m_graph.enterScope("labels/" + scopeName(input.key));
        if (isSplit) {
            return severalClasses(input);
        }
        if (m_rule.vocabulary != nullptr) {
            // An unknown word is -2, below every class, so that the check finds it.
            return toFloat(classesOf(input.tensor, kUnknownLabel, 0), DType::Int64);
        }
        if (m_rule.kind == spec::LabelKind::ClassId) {
            return toFloat(within(input.tensor, 0, m_rule.classes - 1), DType::Int64);
        }
        const NodeRef numbers = toFloat(input.tensor, input.dtype);
        const bool isUnbounded = m_rule.kind == spec::LabelKind::Number;
        return isUnbounded ? numbers : withinUnit(numbers);
    }

private:
    NodeRef toFloat(const NodeRef& values, DType dtype)
    {
        return dtype == DType::Float32 ? values
                                       : m_graph.add("Cast", "ToFloat", {values},
                                                     {{"SrcT", dtype}, {"DstT", DType::Float32}});
    }

    /// The ids of words, checked to be at least `least`.
    NodeRef classesOf(const NodeRef& words, std::int64_t unknown, std::int64_t least)
    {
        std::vector<std::string> known;
        std::vector<std::int64_t> ids;
        for (std::int64_t id = 0; id < m_rule.vocabulary->size(); ++id) {
            known.emplace_back(m_rule.vocabulary->word(id));
            ids.push_back(id);
        }
        const NodeRef keys = m_graph.constant("vocabulary", known);
        const NodeRef values = m_graph.constant("ids", ids);
        const NodeRef table =
            m_graph.add("HashTableV2", "hash_table", {},
                        {{"key_dtype", DType::String},
                         {"value_dtype", DType::Int64},
                         {"shared_name", "label_lookup_" + scopeName(m_graph.scope())}});
        m_graph.addTableInitializer(m_graph.add("LookupTableImportV2", "table_init",
                                                {table, keys, values},
                                                {{"Tin", DType::String}, {"Tout", DType::Int64}}));
        NodeRef found = m_graph.add("LookupTableFindV2", "lookup",
                                    {table, words, m_graph.constant("unknown", unknown)},
                                    {{"Tin", DType::String}, {"Tout", DType::Int64}});
        // A padded row's empty texts are not words.
        if (least == kLabelPadding) {
            const NodeRef isPadding =
                m_graph.add("Equal", "is_padding", {words, m_graph.constant("padding", "")},
                            {{"T", DType::String}});
            found = m_graph.add("SelectV2", "ids_or_padding",
                                {isPadding, m_graph.constant("no_id", kLabelPadding), found},
                                {{"T", DType::Int64}});
        }
        return within(found, least, m_rule.classes - 1);
    }

    /// 1 for each class that a row names: float [batch, classes].
    NodeRef severalClasses(const ReceiverTensor& input)
    {
        const NodeRef ids = m_rule.vocabulary != nullptr
                                ? classesOf(input.tensor, kUnknownLabel, kLabelPadding)
                                : within(input.tensor, kLabelPadding, m_rule.classes - 1);
        const NodeRef depth = m_graph.constant("depth", static_cast<std::int32_t>(m_rule.classes));
        const NodeRef hot =
            m_graph.add("OneHot", "one_hot",
                        {ids, depth, m_graph.constant("on", 1.0F), m_graph.constant("off", 0.0F)},
                        {{"T", DType::Float32}, {"TI", DType::Int64}});
        // A class that is named twice counts once, hence the minimum below.
        const NodeRef counts = m_graph.add(
            "Sum", "counts", {hot, m_graph.constant("axis", std::vector<std::int32_t>{1})},
            {{"T", DType::Float32}, {"Tidx", DType::Int32}});
        return m_graph.add("Minimum", "multi_hot", {counts, m_graph.constant("one", 1.0F)},
                           {{"T", DType::Float32}});
    }

    NodeRef within(const NodeRef& ids, std::int64_t least, std::int64_t most)
    {
        return checked(ids, DType::Int64, m_graph.constant("least", least),
                       m_graph.constant("most", most),
                       m_rule.vocabulary != nullptr
                           ? "a label is not in the label_vocabulary"
                           : fmt::format("a label is not a class from 0 to {}", most));
    }
    NodeRef withinUnit(const NodeRef& values)
    {
        return checked(values, DType::Float32, m_graph.constant("least", 0.0F),
                       m_graph.constant("most", 1.0F), "a label is not between 0 and 1");
    }

    NodeRef checked(const NodeRef& values, DType dtype, const NodeRef& least, const NodeRef& most,
                    const std::string& problem)
    {
        const Attrs type{{"T", dtype}};
        const NodeRef above = m_graph.add("GreaterEqual", "is_above", {values, least}, type);
        const NodeRef below = m_graph.add("GreaterEqual", "is_below", {most, values}, type);
        // The check is a control input of what is passed on: nothing computes with unchecked
        // labels.
        const NodeRef inside = m_graph.add("LogicalAnd", "is_inside", {above, below});
        const NodeRef axes = m_graph.constant("all_axes", std::vector<std::int32_t>{0, 1});
        const NodeRef all =
            m_graph.add("All", "all_inside", {inside, axes}, {{"Tidx", DType::Int32}});
        const NodeRef text = m_graph.constant("problem", HostTensor::scalarString(problem));
        const NodeRef check = m_graph.add("Assert", "Assert", {all, text, values},
                                          {{"T", std::vector<DType>{DType::String, dtype}}});
        return m_graph.add("Identity", "checked", {values}, type, {check});
    }

    using Attrs = storage::Attrs;
    GraphDefBuilder& m_graph;
    const LabelRule& m_rule;
};

DType typeOf(const LabelRule& rule, const LabelSource& source, const spec::Experiment& experiment,
             const std::map<std::string, DType>& dtypes)
{
    if (rule.vocabulary != nullptr) {
        return DType::String;
    }
    if (rule.kind == spec::LabelKind::ClassId || rule.kind == spec::LabelKind::MultiHot) {
        // Class ids and words fix the type; other labels keep that of the table.
        return DType::Int64;
    }
    const DType inTable = RawSchema(experiment, dtypes).feature(source.column).dtype;
    const bool isInteger = inTable == DType::Int64 || inTable == DType::Int32;
    return isInteger ? DType::Int64 : DType::Float32;
}

} // namespace

Result<EmittedLabels> emitLabels(GraphDefBuilder& graph, const spec::Experiment& experiment,
                                 const std::map<std::string, DType>& dtypes)
{
    CANNERY_TRY_ASSIGN(const LabelEncoder encoder,
                       LabelEncoder::create(spec::headOf(experiment.estimator())));
    if (encoder.rules().empty()) {
        return fail(ErrorCode::FailedPrecondition, kWithoutLabels);
    }
    EmittedLabels result;
    std::vector<NodeRef> parts;
    for (const LabelRule& rule : encoder.rules()) {
        // TensorFlow's dictionary of labels has one entry for each head of a multi_head.
        const std::string key = encoder.rules().size() == 1 ? kOnlyLabel : rule.head;
        const LabelSource source = sourceOf(experiment.data().label(), rule.head);
        const DType dtype = typeOf(rule, source, experiment, dtypes);
        const Shape shape{-1, source.isSplit ? -1 : rule.width};
        result.inputs.push_back(
            {key, graph.placeholder(scopeName(key), dtype, shape), dtype, shape});
        parts.push_back(LabelGraph(graph, rule).emit(result.inputs.back(), source.isSplit));
    }
    if (parts.size() == 1) {
        result.values = parts.front();
        return result;
    }
    const auto count = static_cast<std::int64_t>(parts.size());
    parts.push_back(graph.constant("labels/axis", std::int32_t{1}));
    result.values = graph.add("ConcatV2", "labels/concat", parts,
                              {{"N", count}, {"T", DType::Float32}, {"Tidx", DType::Int32}});
    return result;
}

} // namespace cannery::features
