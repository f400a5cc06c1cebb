// SPDX-License-Identifier: Apache-2.0
// Rules of estimators and heads (estimator-canon §1.3, §2.1): columns, hidden units, vocabularies.

#include "core/spec/checks/validation_context.h"
#include "core/spec/column_kinds.h"
#include "core/spec/estimator_columns.h"
#include "core/spec/message_access.h"
#include "core/spec/tensorflow_names.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

namespace cannery::spec {

namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr ErrorKind kNeedsDense{
    "spec.network_needs_dense",
    "'{0}' is a {1}, and a network reads dense columns only: wrap it in indicator_column or "
    "embedding_column."};
constexpr ErrorKind kNeedsSequence{
    "spec.needs_sequence",
    "'{0}' ({1}) has a value for each row, and {2} have one for each step: use a "
    "sequence_numeric_column, or an indicator or embedding of a sequence_categorical_column."};
constexpr ErrorKind kIsSequence{
    "spec.unexpected_sequence",
    "'{0}' ({1}) has a value for each step, and {2} have one for each row: only a recurrent "
    "network (rnn_classifier, rnn_estimator, custom_estimator) reads it, among its "
    "sequence_feature_columns."};
constexpr ErrorKind kColumnTwice{"spec.column_twice",
                                 "'{0}' occurs twice in this list: remove one."};
constexpr ErrorKind kSameName{"spec.same_tensorflow_name",
                              "'{0}' and '{1}' are both called '{2}' in TensorFlow, so a model "
                              "cannot contain both: remove one."};
constexpr ErrorKind kNoColumns{"spec.no_columns",
                               "'{0}' has no columns: give at least one of {1}."};
constexpr ErrorKind kNotBeside{"spec.no_hidden_units",
                               "{0} must be given with {1}, as in {0}: [64, 32]."};
constexpr ErrorKind kUnused{"spec.unused_hidden_units", "{0} have no effect without {1}."};
constexpr ErrorKind kVocabularySize{
    "spec.label_vocabulary_size",
    "label_vocabulary has {0} classes, but there are {1} (n_classes): they must agree."};
constexpr ErrorKind kDuplicateClass{"spec.duplicate_class",
                                    "The class '{0}' occurs twice in label_vocabulary."};
constexpr ErrorKind kUnknownClass{"spec.unknown_class", "'{0}' is not a class: write {1}."};
constexpr ErrorKind kHeadName{"spec.head_name",
                              "Every head of a multi_head needs its own name: {0}."};
constexpr ErrorKind kNestedHead{
    "spec.nested_head", "A multi_head cannot contain a multi_head: move its heads into this one."};
constexpr ErrorKind kHeadWeights{
    "spec.head_weights", "There are {0} head_weights for {1} heads: give one for each, or none."};
constexpr ErrorKind kHeadReduction{
    "spec.head_reduction",
    "The heads of a multi_head must share one loss_reduction; the first has {0}."};
constexpr ErrorKind kWeightNotNumeric{
    "spec.weight_not_numeric",
    "'{0}' is a {1}: a weight_column must be a numeric_column or a raw feature."};

bool hasColumns(const std::vector<PartColumns>& lists)
{
    return std::any_of(lists.begin(), lists.end(),
                       [](const PartColumns& list) { return !list.handles.empty(); });
}

class EstimatorChecker
{
public:
    explicit EstimatorChecker(ValidationContext& context) : m_context(context) {}

    void check();

private:
    void report(const SpecPath& path, Error error, Severity severity = Severity::Error)
    {
        m_context.report(path, std::move(error), severity);
    }
    void columns(const SpecPath& path, const PartColumns& list);
    void steps(const FeatureColumn& column, const PartColumns& list, const SpecPath& path);
    void sameNames(const SpecPath& list, const std::vector<std::string>& names);
    void someColumns(const std::vector<PartColumns>& lists, const Message& member,
                     const SpecPath& path);
    void besideColumns(const std::vector<PartColumns>& lists, const Message& member,
                       const SpecPath& path);
    void heads(const Message& message, const SpecPath& path);
    void vocabulary(const Message& message, const SpecPath& path);
    void weightColumn(const InputReference& weight, const SpecPath& path);
    void multiLabel(const MultiLabelHead& head, const SpecPath& path);
    void multiHead(const MultiHead& multi, const SpecPath& path);

    ValidationContext& m_context;
};

/// A list takes columns with a value for each step, or for each row.
void EstimatorChecker::steps(const FeatureColumn& column, const PartColumns& list,
                             const SpecPath& path)
{
    const bool isRead = isSequence(m_context.columns, column) == list.isSequence;
    if (!isRead) {
        report(path,
               error(ErrorCode::InvalidArgument, list.isSequence ? kNeedsSequence : kIsSequence,
                     column.name(), kindName(column), list.field));
    }
}

void EstimatorChecker::columns(const SpecPath& path, const PartColumns& list)
{
    std::set<std::string> seen;
    for (std::size_t i = 0; i < list.handles.size(); ++i) {
        const std::string& name = list.handles[i];
        const SpecPath here = path.element(static_cast<int>(i));
        if (!seen.insert(name).second) {
            report(here, error(ErrorCode::AlreadyExists, kColumnTwice, name));
        }
        const FeatureColumn* column = m_context.column(name);
        if (column == nullptr) {
            continue;
        }
        // One report a column: what a network cannot read at all is not checked for steps.
        if (list.isDense && !gives(*column, ColumnKind::DENSE)) {
            report(here, error(ErrorCode::InvalidArgument, kNeedsDense, name, kindName(*column)));
        } else {
            steps(*column, list, here);
        }
    }
    sameNames(path, list.handles);
}

/// Two columns of a model with the same derived name would be the same variable.
void EstimatorChecker::sameNames(const SpecPath& list, const std::vector<std::string>& names)
{
    std::map<std::string, std::string> owners;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto derived = tensorflowNames(m_context.columns, names[i]);
        if (!derived) {
            continue; // dangling or a cycle: reported with the columns
        }
        for (const std::string& unsafe : *derived) {
            // Compared as TensorFlow's scopes spell them: "a b" and "a_b" are the same variable.
            const std::string name = scopeSafe(unsafe);
            const auto [owner, inserted] = owners.emplace(name, names[i]);
            // shared_embeddings have several names, but one handle.
            if (!inserted && owner->second != names[i]) {
                report(list.element(static_cast<int>(i)),
                       error(ErrorCode::AlreadyExists, kSameName, owner->second, names[i], name));
                break;
            }
        }
    }
}

/// Lists that may each be empty, but not all of them.
void EstimatorChecker::someColumns(const std::vector<PartColumns>& lists, const Message& member,
                                   const SpecPath& path)
{
    std::vector<std::string> fields;
    for (const PartColumns& list : lists) {
        const auto* field = member.GetDescriptor()->FindFieldByName(list.field);
        // A list with a minimum of its own is reported by that.
        if (!list.handles.empty() || infoOf(*field).min_count() > 0) {
            return;
        }
        fields.push_back(list.field);
    }
    if (!fields.empty()) {
        report(path, error(ErrorCode::InvalidArgument, kNoColumns, path.steps.back().field,
                           fmt::format("{}", fmt::join(fields, ", "))));
    }
}

/// The field that accompanies a list of columns is set if and only if the list is.
void EstimatorChecker::besideColumns(const std::vector<PartColumns>& lists, const Message& member,
                                     const SpecPath& path)
{
    for (int i = 0; i < member.GetDescriptor()->field_count(); ++i) {
        const FieldDescriptor& field = *member.GetDescriptor()->field(i);
        const std::string& list = infoOf(field).beside();
        if (list.empty()) {
            continue;
        }
        const Reflection& reflection = *member.GetReflection();
        const bool isGiven = field.is_repeated() ? reflection.FieldSize(member, &field) > 0
                                                 : reflection.HasField(member, &field);
        const bool isNeeded = !textsIn(member, list).empty();
        const SpecPath here = path.child(field.name());
        if (isNeeded && !isGiven) {
            report(here, error(ErrorCode::InvalidArgument, kNotBeside, field.name(), list));
            // If no list has columns, that is the problem, and has been reported.
        } else if (isGiven && !isNeeded && hasColumns(lists)) {
            report(here, error(ErrorCode::InvalidArgument, kUnused, field.name(), list),
                   Severity::Warning);
        }
    }
}

/// label_vocabulary against n_classes (2 for a binary head).
void EstimatorChecker::vocabulary(const Message& message, const SpecPath& path)
{
    const std::vector<std::string> words = textsIn(message, "label_vocabulary");
    const FieldDescriptor* classes = message.GetDescriptor()->FindFieldByName("n_classes");
    // A binary head has no n_classes.
    const std::int64_t count =
        classes == nullptr ? 2 : message.GetReflection()->GetInt64(message, classes);
    if (!words.empty() && static_cast<std::int64_t>(words.size()) != count) {
        report(path.child("label_vocabulary"),
               error(ErrorCode::InvalidArgument, kVocabularySize, words.size(), count));
    }
    std::set<std::string> seen;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (!seen.insert(words[i]).second) {
            report(path.child("label_vocabulary").element(static_cast<int>(i)),
                   error(ErrorCode::AlreadyExists, kDuplicateClass, words[i]));
        }
    }
}

void EstimatorChecker::weightColumn(const InputReference& weight, const SpecPath& path)
{
    const FeatureColumn* column = weight.has_column() ? m_context.column(weight.column()) : nullptr;
    if (column != nullptr && !gives(*column, ColumnKind::NUMBERS)) {
        report(path.child("column"), error(ErrorCode::InvalidArgument, kWeightNotNumeric,
                                           weight.column(), kindName(*column)));
    }
}

void EstimatorChecker::multiLabel(const MultiLabelHead& head, const SpecPath& path)
{
    const auto& words = head.label_vocabulary();
    for (int i = 0; i < head.classes_for_class_based_metrics_size(); ++i) {
        const std::string& wanted = head.classes_for_class_based_metrics(i);
        std::int64_t id = -1;
        std::from_chars(wanted.data(), wanted.data() + wanted.size(), id);
        const bool known = std::find(words.begin(), words.end(), wanted) != words.end() ||
                           // Printed again, so that "1x" or "01" is not an id.
                           (id >= 0 && id < head.n_classes() && std::to_string(id) == wanted);
        if (!known) {
            report(path.child("classes_for_class_based_metrics").element(i),
                   error(ErrorCode::InvalidArgument, kUnknownClass, wanted,
                         fmt::format("an id from 0 to {}{}", head.n_classes() - 1,
                                     words.empty() ? "" : " or a name of label_vocabulary")));
        }
    }
}

void EstimatorChecker::multiHead(const MultiHead& multi, const SpecPath& path)
{
    if (multi.head_weights_size() > 0 && multi.head_weights_size() != multi.heads_size()) {
        report(path.child("head_weights"), error(ErrorCode::InvalidArgument, kHeadWeights,
                                                 multi.head_weights_size(), multi.heads_size()));
    }
    std::set<std::string> names;
    std::string firstReduction;
    for (int i = 0; i < multi.heads_size(); ++i) {
        const SpecPath here = path.child("heads").element(i);
        const auto* kind = multi.heads(i).GetReflection()->GetOneofFieldDescriptor(
            multi.heads(i), Head::descriptor()->oneof_decl(0));
        // An empty head is reported by its oneof.
        if (kind == nullptr) {
            continue;
        }
        if (multi.heads(i).has_multi_head()) {
            report(here, error(ErrorCode::InvalidArgument, kNestedHead));
            continue;
        }
        const Message& head = multi.heads(i).GetReflection()->GetMessage(multi.heads(i), kind);
        const SpecPath inner = here.child(kind->name());
        const auto field = [&](const char* name) {
            return head.GetDescriptor()->FindFieldByName(name);
        };
        // By reflection: every kind of head has a name and a reduction, in a message of its own.
        const std::string name = head.GetReflection()->GetString(head, field("name"));
        if (name.empty() || !names.insert(name).second) {
            report(name.empty() ? inner : inner.child("name"),
                   error(ErrorCode::InvalidArgument, kHeadName,
                         name.empty() ? "this one has none" : "'" + name + "' is taken"));
        }
        const std::string reduction =
            head.GetReflection()->GetEnum(head, field("loss_reduction"))->name();
        if (i == 0) {
            firstReduction = reduction;
        } else if (reduction != firstReduction) {
            report(inner.child("loss_reduction"),
                   error(ErrorCode::InvalidArgument, kHeadReduction, firstReduction));
        }
    }
}

/// Vocabularies, weights and heads of an estimator or a head, and of nested heads.
void EstimatorChecker::heads(const Message& message, const SpecPath& path)
{
    if (message.GetDescriptor()->FindFieldByName("label_vocabulary") != nullptr) {
        vocabulary(message, path);
    }
    if (message.GetDescriptor() == MultiLabelHead::descriptor()) {
        multiLabel(dynamic_cast<const MultiLabelHead&>(message), path);
    }
    if (message.GetDescriptor() == MultiHead::descriptor()) {
        multiHead(dynamic_cast<const MultiHead&>(message), path);
    }
    std::vector<const FieldDescriptor*> fields;
    message.GetReflection()->ListFields(message, &fields);
    for (const FieldDescriptor* field : fields) {
        const SpecPath here = path.child(field->name());
        if (!isMessage(*field)) {
            continue;
        }
        if (field->name() == "weight_column") {
            weightColumn(dynamic_cast<const InputReference&>(
                             message.GetReflection()->GetMessage(message, field)),
                         here);
        } else if (field->is_repeated()) {
            for (int i = 0; i < message.GetReflection()->FieldSize(message, field); ++i) {
                heads(message.GetReflection()->GetRepeatedMessage(message, field, i),
                      here.element(i));
            }
        } else {
            heads(message.GetReflection()->GetMessage(message, field), here);
        }
    }
}

void EstimatorChecker::check()
{
    const Estimator& estimator = m_context.experiment.estimator();
    const FieldDescriptor* kind = memberField(estimator);
    if (kind == nullptr) {
        return;
    }
    const Message& member = estimator.GetReflection()->GetMessage(estimator, kind);
    const SpecPath path = SpecPath{}.child("estimator").child(kind->name());
    const std::vector<PartColumns> lists = partColumnsOf(estimator);
    for (const PartColumns& list : lists) {
        columns(path.child(list.field), list);
    }
    someColumns(lists, member, path);
    besideColumns(lists, member, path);
    heads(member, path);
}

} // namespace

void checkEstimator(ValidationContext& context)
{
    EstimatorChecker(context).check();
}

} // namespace cannery::spec
