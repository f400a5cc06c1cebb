// SPDX-License-Identifier: Apache-2.0
// Rules of estimators and heads (estimator-canon §1.3, §2.1): columns, hidden units, vocabularies.

#include "core/spec/message_access.h"
#include "core/spec/tensorflow_names.h"
#include "core/spec/validation_context.h"

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
    "spec.needs_dense",
    "'{0}' is a {1}, and a DNN reads dense columns only: wrap it in indicator_column or "
    "embedding_column."};
constexpr ErrorKind kColumnTwice{"spec.column_twice",
                                 "'{0}' stands twice in this list: take one away."};
constexpr ErrorKind kSameName{
    "spec.same_tensorflow_name",
    "'{0}' and '{1}' are both called '{2}' in TensorFlow, so they cannot stand in one model: leave "
    "one out."};
constexpr ErrorKind kNoColumns{
    "spec.no_columns",
    "'{0}' has no columns: give linear_feature_columns, dnn_feature_columns or both."};
constexpr ErrorKind kNoHiddenUnits{
    "spec.no_hidden_units",
    "dnn_hidden_units must be given beside dnn_feature_columns, as in dnn_hidden_units: [64, 32]."};
constexpr ErrorKind kUnusedHiddenUnits{
    "spec.unused_hidden_units", "dnn_hidden_units have no effect without dnn_feature_columns."};
constexpr ErrorKind kVocabularySize{
    "spec.label_vocabulary_size",
    "label_vocabulary has {0} classes, but there are {1} (n_classes): they must agree."};
constexpr ErrorKind kDuplicateClass{"spec.duplicate_class",
                                    "The class '{0}' stands twice in label_vocabulary."};
constexpr ErrorKind kUnknownClass{"spec.unknown_class", "'{0}' is not a class: write {1}."};
constexpr ErrorKind kHeadName{"spec.head_name",
                              "Every head of a multi_head needs a name of its own: {0}."};
constexpr ErrorKind kNestedHead{"spec.nested_head",
                                "A multi_head cannot stand within a multi_head: put its heads into "
                                "this one."};
constexpr ErrorKind kHeadWeights{
    "spec.head_weights", "There are {0} head_weights for {1} heads: give one for each, or none."};
constexpr ErrorKind kHeadReduction{
    "spec.head_reduction",
    "The heads of a multi_head must share one loss_reduction; the first has {0}."};
constexpr ErrorKind kWeightNotNumeric{
    "spec.weight_not_numeric",
    "'{0}' is a {1}: a weight_column must be a numeric_column or a raw feature."};

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
    std::vector<std::string> texts(const Message& message, std::string_view field) const;
    void columns(const SpecPath& list, const std::vector<std::string>& names, bool dnn);
    void sameNames(const SpecPath& list, const std::vector<std::string>& names);
    template <typename Combined>
    void combined(const Combined& estimator, const SpecPath& path);
    void heads(const Message& message, const SpecPath& path);
    void vocabulary(const Message& message, const SpecPath& path);
    void weightColumn(const InputReference& weight, const SpecPath& path);
    void multiLabel(const MultiLabelHead& head, const SpecPath& path);
    void multiHead(const MultiHead& multi, const SpecPath& path);

    ValidationContext& m_context;
};

std::vector<std::string> EstimatorChecker::texts(const Message& message,
                                                 std::string_view name) const
{
    const FieldDescriptor* field = message.GetDescriptor()->FindFieldByName(std::string(name));
    std::vector<std::string> result;
    for (int i = 0; field != nullptr && i < message.GetReflection()->FieldSize(message, field);
         ++i) {
        result.push_back(message.GetReflection()->GetRepeatedString(message, field, i));
    }
    return result;
}

void EstimatorChecker::columns(const SpecPath& list, const std::vector<std::string>& names,
                               bool dnn)
{
    std::set<std::string> seen;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const SpecPath path = list.element(static_cast<int>(i));
        if (!seen.insert(names[i]).second) {
            report(path, error(ErrorCode::AlreadyExists, kColumnTwice, names[i]));
        }
        const FeatureColumn* column = m_context.column(names[i]);
        if (dnn && column != nullptr && !isDense(*column)) {
            report(path,
                   error(ErrorCode::InvalidArgument, kNeedsDense, names[i], kindName(*column)));
        }
    }
    sameNames(list, names);
}

/// Two columns of one model with one derived name would be one variable.
void EstimatorChecker::sameNames(const SpecPath& list, const std::vector<std::string>& names)
{
    std::map<std::string, std::string> owners;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto derived = tensorflowNames(m_context.columns, names[i]);
        if (!derived) {
            continue; // dangling or a cycle: reported with the columns
        }
        for (const std::string& name : *derived) {
            const auto [owner, inserted] = owners.emplace(name, names[i]);
            if (!inserted && owner->second != names[i]) {
                report(list.element(static_cast<int>(i)),
                       error(ErrorCode::AlreadyExists, kSameName, owner->second, names[i], name));
                break;
            }
        }
    }
}

template <typename Combined>
void EstimatorChecker::combined(const Combined& estimator, const SpecPath& path)
{
    if (estimator.linear_feature_columns().empty() && estimator.dnn_feature_columns().empty()) {
        report(path, error(ErrorCode::InvalidArgument, kNoColumns, path.steps.back().field));
    } else if (!estimator.dnn_feature_columns().empty() && estimator.dnn_hidden_units().empty()) {
        report(path.child("dnn_hidden_units"), error(ErrorCode::InvalidArgument, kNoHiddenUnits));
    } else if (estimator.dnn_feature_columns().empty() && !estimator.dnn_hidden_units().empty()) {
        report(path.child("dnn_hidden_units"),
               error(ErrorCode::InvalidArgument, kUnusedHiddenUnits), Severity::Warning);
    }
}

/// label_vocabulary against n_classes (2 for a binary head).
void EstimatorChecker::vocabulary(const Message& message, const SpecPath& path)
{
    const std::vector<std::string> words = texts(message, "label_vocabulary");
    const FieldDescriptor* classes = message.GetDescriptor()->FindFieldByName("n_classes");
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
    if (column != nullptr && !column->has_numeric_column()) {
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

/// Vocabularies, weights and heads of an estimator or a head, and of the heads within.
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
    const auto* kind = estimator.GetReflection()->GetOneofFieldDescriptor(
        estimator, Estimator::descriptor()->oneof_decl(0));
    if (kind == nullptr) {
        return;
    }
    const Message& member = estimator.GetReflection()->GetMessage(estimator, kind);
    const SpecPath path = SpecPath{}.child("estimator").child(kind->name());
    const bool dnn = kind->name().rfind("dnn_", 0) == 0;
    columns(path.child("feature_columns"), texts(member, "feature_columns"), dnn);
    columns(path.child("linear_feature_columns"), texts(member, "linear_feature_columns"), false);
    columns(path.child("dnn_feature_columns"), texts(member, "dnn_feature_columns"), true);
    if (estimator.has_dnn_linear_combined_classifier()) {
        combined(estimator.dnn_linear_combined_classifier(), path);
    } else if (estimator.has_dnn_linear_combined_regressor()) {
        combined(estimator.dnn_linear_combined_regressor(), path);
    } else if (estimator.has_dnn_linear_combined_estimator()) {
        combined(estimator.dnn_linear_combined_estimator(), path);
    }
    heads(member, path);
}

} // namespace

void checkEstimator(ValidationContext& context)
{
    EstimatorChecker(context).check();
}

} // namespace cannery::spec
