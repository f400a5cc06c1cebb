// SPDX-License-Identifier: Apache-2.0
#include "core/spec/tree_arguments.h"

#include "core/spec/column_kinds.h"
#include "core/spec/message_access.h"

namespace cannery::spec {

namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

/// Reads the fields of a message by their names; it must have them.
class TreeFields
{
public:
    explicit TreeFields(const Message& member) : m_member(member) {}

    std::int64_t whole(const char* name) const
    {
        return m_member.GetReflection()->GetInt64(m_member, field(name));
    }
    double number(const char* name) const
    {
        return m_member.GetReflection()->GetDouble(m_member, field(name));
    }
    bool flag(const char* name) const
    {
        return m_member.GetReflection()->GetBool(m_member, field(name));
    }
    bool has(const char* name) const { return field(name) != nullptr; }

private:
    const FieldDescriptor* field(const char* name) const
    {
        return m_member.GetDescriptor()->FindFieldByName(name);
    }

    const Message& m_member;
};

template <typename Predicate>
bool anyField(const FeatureColumn& column, Predicate isWanted)
{
    const Message* member = memberOf(column);
    for (int i = 0; member != nullptr && i < member->GetDescriptor()->field_count(); ++i) {
        if (isWanted(*member->GetDescriptor()->field(i))) {
            return true;
        }
    }
    return false;
}

bool isMadeOfIds(const FeatureColumn& column)
{
    // A column that takes ids of another one wraps it.
    return anyField(column, [](const FieldDescriptor& field) {
        return infoOf(field).has_wants() && infoOf(field).wants() == ColumnKind::IDS;
    });
}

/// Has a table of trained vectors.
bool hasInitialValues(const FeatureColumn& column)
{
    return anyField(column, [](const FieldDescriptor& field) {
        return isMessage(field) && field.message_type() == Initializer::descriptor();
    });
}

} // namespace

std::optional<TreeArguments> treeArgumentsOf(const Estimator& estimator)
{
    const Message* member = memberOf(estimator);
    const FieldDescriptor* pruning =
        member == nullptr ? nullptr : member->GetDescriptor()->FindFieldByName("pruning_mode");
    // The mode of pruning is an argument that every estimator of trees has and no other.
    if (pruning == nullptr || pruning->enum_type() != TreePruning::Mode_descriptor()) {
        return std::nullopt;
    }
    const TreeFields fields(*member);
    return TreeArguments{.treeCount = fields.whole("n_trees"),
                         .maxDepth = fields.whole("max_depth"),
                         .batchesPerLayer = fields.whole("n_batches_per_layer"),
                         .learningRate = fields.number("learning_rate"),
                         .l1 = fields.number("l1_regularization"),
                         .l2 = fields.number("l2_regularization"),
                         .complexity = fields.number("tree_complexity"),
                         .minNodeWeight = fields.number("min_node_weight"),
                         .quantileEpsilon = fields.number("quantile_sketch_epsilon"),
                         .centerBias = fields.flag("center_bias"),
                         .inMemory =
                             fields.has("train_in_memory") && fields.flag("train_in_memory"),
                         .pruning = static_cast<TreePruning::Mode>(
                             member->GetReflection()->GetEnumValue(*member, pruning))};
}

std::optional<TreeReading> treeReadingOf(const FeatureColumn& column)
{
    const bool givesIds = gives(column, ColumnKind::IDS);
    if (gives(column, ColumnKind::NUMBERS)) {
        return TreeReading::Numbers;
    }
    if (givesIds && gives(column, ColumnKind::DENSE)) {
        return TreeReading::Buckets;
    }
    if (givesIds && !isMadeOfIds(column)) {
        return TreeReading::Categories;
    }
    const bool isIndicator = !givesIds && isMadeOfIds(column) && !hasInitialValues(column);
    // An embedding is trained along a gradient, which trees do not have.
    return isIndicator ? std::optional(TreeReading::Indicator) : std::nullopt;
}

} // namespace cannery::spec
