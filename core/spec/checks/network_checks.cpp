// SPDX-License-Identifier: Apache-2.0
// Rules of a network of one's own: names, connections, columns. Shapes are checked when it is
// lowered, with the widths of the columns (core/estimators/custom_estimator).

#include "core/spec/canned_head.h"
#include "core/spec/checks/validation_context.h"
#include "core/spec/message_access.h"
#include "core/spec/networks/network_blocks.h"
#include "core/spec/networks/network_layout.h"
#include "core/spec/networks/token_catalog.h"

#include <google/protobuf/reflection.h>

#include <algorithm>

namespace cannery::spec {

namespace {

constexpr ErrorKind kOtherColumn{
    "spec.column_not_of_network",
    "'{}' is not among the {} of this estimator: add it there, or name one that is."};
constexpr ErrorKind kColumnUnread{"spec.column_unread",
                                  "No {} reads '{}': name it in one, or remove it here."};
constexpr ErrorKind kInputOfInput{"spec.inputs_of_input_layer",
                                  "An input_layer reads feature columns, not layers: remove its "
                                  "inputs, or use concatenate."};
constexpr ErrorKind kStridesAndDilation{
    "spec.strides_and_dilation",
    "strides and dilation_rate cannot both be above 1: TensorFlow has no such convolution."};

constexpr ErrorKind kTokenNumbers{
    "spec.token_numbers",
    "A token_embedding reads ids, whole numbers of columns, and '{}' makes other numbers of them: "
    "let it read an input_layer, or one behind reshape, flatten, concatenate, permute, "
    "repeat_vector or zero_padding_1d."};
constexpr ErrorKind kTokenColumn{
    "spec.token_column",
    "The numbers of '{}' are no ids for a token_embedding: give its input_layer feature_columns "
    "that are numeric_columns, or make an embedding_column of this one."};

/// Whether a whole number of the field is above 1; false if the message has no such field.
bool isAboveOne(const google::protobuf::Message& message, const std::string& name)
{
    const google::protobuf::FieldDescriptor* field = message.GetDescriptor()->FindFieldByName(name);
    if (field == nullptr) {
        return false;
    }
    const google::protobuf::Reflection& reflection = *message.GetReflection();
    if (!field->is_repeated()) {
        return reflection.GetInt64(message, field) > 1;
    }
    const auto numbers = reflection.GetRepeatedFieldRef<std::int64_t>(message, field);
    return std::any_of(numbers.begin(), numbers.end(),
                       [](std::int64_t number) { return number > 1; });
}

bool isNumeric(const FeatureColumn& column)
{
    const auto* kind = memberField(column);
    return kind != nullptr && kind->message_type() == NumericColumn::descriptor();
}

class NetworkChecker
{
public:
    /// Of the estimator at this path.
    NetworkChecker(ValidationContext& context, SpecPath path, const NetworkGraph& network,
                   const google::protobuf::Message& estimator)
        : m_context(context), m_path(std::move(path)), m_network(network), m_estimator(estimator)
    {}

    void check()
    {
        const UnfoldedNetwork network = unfold(m_network);
        for (const UnfoldingProblem& problem : network.problems) {
            // checkFields() asks for the layers of a block already.
            if (problem.error.id != "spec.empty_block") {
                m_context.report(graphPath().joined(problem.path), problem.error);
            }
        }
        checkTokens(network);
        collect(m_network.layer(), graphPath().child("layer"));
        if (std::optional<Error> misfit =
                outputMisfit(m_network, headOf(m_context.experiment.estimator()))) {
            m_context.report(graphPath().child("outputs"), *std::move(misfit));
        }
        checkColumnsAreRead(kRows);
        checkColumnsAreRead(kSteps);
    }

private:
    using Names = google::protobuf::RepeatedPtrField<std::string>;

    /// A layer that begins a network, and the estimator's list that it reads.
    struct Beginning
    {
        const char* layer;
        const char* columns;
        bool (*isKindOf)(const NetworkLayer&);
        const Names& (*named)(const NetworkLayer&);
    };
    static constexpr Beginning kRows{
        "input_layer", "feature_columns",
        [](const NetworkLayer& layer) { return layer.has_input_layer(); },
        [](const NetworkLayer& layer) -> const Names& {
            return layer.input_layer().feature_columns();
        }};
    static constexpr Beginning kSteps{
        "sequence_input", "sequence_feature_columns",
        [](const NetworkLayer& layer) { return layer.has_sequence_input(); },
        [](const NetworkLayer& layer) -> const Names& {
            return layer.sequence_input().feature_columns();
        }};

    SpecPath graphPath() const { return m_path.child("graph"); }
    void collect(const google::protobuf::RepeatedPtrField<NetworkLayer>& layers,
                 const SpecPath& path);
    void checkLayer(const NetworkLayer& layer, const SpecPath& path);
    void checkWindow(const NetworkLayer& layer, const SpecPath& path);
    void checkTokens(const UnfoldedNetwork& network);
    void checkTokenColumns(const UnfoldedNetwork& network, const TokenSource& source);
    void checkOwnColumns(const NetworkLayer& layer, const Beginning& beginning,
                         const SpecPath& path);
    void checkColumnsAreRead(const Beginning& beginning);

    ValidationContext& m_context;
    SpecPath m_path;
    const NetworkGraph& m_network;
    const google::protobuf::Message& m_estimator;
    std::vector<const NetworkLayer*> m_layers; ///< also those of blocks, once each
};

/// Checks layers and those of blocks, each once, however often it is repeated.
void NetworkChecker::collect(const google::protobuf::RepeatedPtrField<NetworkLayer>& layers,
                             const SpecPath& path)
{
    for (int i = 0; i < layers.size(); ++i) {
        const SpecPath own = path.element(i);
        m_layers.push_back(&layers[i]);
        checkLayer(layers[i], own);
        if (layers[i].has_block()) {
            collect(layers[i].block().layer(), own.child("block").child("layer"));
        }
    }
}

/// A layer names columns that its estimator has.
void NetworkChecker::checkOwnColumns(const NetworkLayer& layer, const Beginning& beginning,
                                     const SpecPath& path)
{
    const std::vector<std::string> known = textsIn(m_estimator, beginning.columns);
    const Names& named = beginning.named(layer);
    for (int i = 0; i < named.size(); ++i) {
        if (std::ranges::find(known, named[i]) == known.end()) {
            m_context.report(path.child(beginning.layer).child("feature_columns").element(i),
                             error(ErrorCode::NotFound, kOtherColumn, named[i], beginning.columns));
        }
    }
}

void NetworkChecker::checkLayer(const NetworkLayer& layer, const SpecPath& path)
{
    if (layer.has_input_layer()) {
        if (layer.inputs_size() > 0) {
            m_context.report(path.child("inputs"),
                             error(ErrorCode::InvalidArgument, kInputOfInput));
        }
        checkOwnColumns(layer, kRows, path);
    } else if (layer.has_sequence_input()) {
        checkOwnColumns(layer, kSteps, path);
    }
    checkWindow(layer, path);
}

/// Of every kind that has both fields, so that another convolution needs no line here.
void NetworkChecker::checkWindow(const NetworkLayer& layer, const SpecPath& path)
{
    const google::protobuf::Message* kind = memberOf(layer);
    if (kind != nullptr && isAboveOne(*kind, "dilation_rate") &&
        (isAboveOne(*kind, "stride") || isAboveOne(*kind, "strides"))) {
        m_context.report(path.child(memberField(layer)->name()).child("dilation_rate"),
                         error(ErrorCode::InvalidArgument, kStridesAndDilation));
    }
}

void NetworkChecker::checkTokens(const UnfoldedNetwork& network)
{
    for (const TokenSource& source : tokenSourcesOf(network)) {
        if (source.changedBy >= 0) {
            const UnfoldedLayer& other = network.layers[static_cast<std::size_t>(source.changedBy)];
            const SpecPath& path = network.layers[static_cast<std::size_t>(source.layer)].path;
            m_context.report(graphPath().joined(path),
                             error(ErrorCode::InvalidArgument, kTokenNumbers, other.name));
        }
        checkTokenColumns(network, source);
    }
}

/// Each number that a token_embedding reads is of a numeric column, whose rows can be checked.
void NetworkChecker::checkTokenColumns(const UnfoldedNetwork& network, const TokenSource& source)
{
    const std::vector<std::string> all = textsIn(m_estimator, kRows.columns);
    for (const int input : source.inputs) {
        const Names& own = kRows.named(*network.layers[static_cast<std::size_t>(input)].layer);
        for (const std::string& name :
             own.empty() ? all : std::vector<std::string>(own.begin(), own.end())) {
            const auto& columns = m_context.experiment.feature_column();
            const auto column = std::ranges::find(columns, name, &FeatureColumn::name);
            if (column != columns.end() && !isNumeric(*column)) {
                const SpecPath& path = network.layers[static_cast<std::size_t>(source.layer)].path;
                m_context.report(graphPath().joined(path),
                                 error(ErrorCode::InvalidArgument, kTokenColumn, name));
            }
        }
    }
}

void NetworkChecker::checkColumnsAreRead(const Beginning& beginning)
{
    const std::vector<std::string> columns = textsIn(m_estimator, beginning.columns);
    // Without any layer that begins a network the first one is reported, not each column.
    const auto begins = [](const NetworkLayer* layer) {
        return kRows.isKindOf(*layer) || kSteps.isKindOf(*layer);
    };
    if (std::ranges::none_of(m_layers, begins)) {
        return;
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const bool isRead = std::ranges::any_of(m_layers, [&](const NetworkLayer* layer) {
            const Names& named = beginning.named(*layer);
            return beginning.isKindOf(*layer) &&
                   (named.empty() || std::ranges::find(named, columns[i]) != named.end());
        });
        if (!isRead) {
            m_context.report(
                m_path.child(beginning.columns).element(static_cast<int>(i)),
                error(ErrorCode::InvalidArgument, kColumnUnread, beginning.layer, columns[i]),
                Severity::Warning);
        }
    }
}

} // namespace

void checkNetwork(ValidationContext& context)
{
    const Estimator& estimator = context.experiment.estimator();
    const NetworkGraph* network = networkOf(estimator);
    if (network == nullptr) {
        return;
    }
    NetworkChecker(context, SpecPath{}.child("estimator").child(memberField(estimator)->name()),
                   *network, *memberOf(estimator))
        .check();
}

} // namespace cannery::spec
