// SPDX-License-Identifier: Apache-2.0
// Rules of recurrent networks that predict every step (estimator-canon §1.3), as TensorFlow's
// SequentialHeadWrapper does.

#include "core/spec/canned_head.h"
#include "core/spec/checks/validation_context.h"
#include "core/spec/head_kinds.h"
#include "core/spec/message_access.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace cannery::spec {

namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr ErrorKind kManyHeads{
    "spec.steps_of_many_heads",
    "With return_sequences there is one head, as TensorFlow's SequentialHeadWrapper takes no "
    "multi_head: give it one head, or remove return_sequences."};
constexpr ErrorKind kNoSequence{
    "spec.steps_label",
    "With return_sequences the label is a sequence, a value for each step: write label {{ split {{ "
    "column: … }} }} for a column whose cells are lists."};
constexpr ErrorKind kStepTexts{
    "spec.steps_label_texts",
    "The values of this label are texts: give its split the dtype {0}{1}."};
constexpr ErrorKind kStepClasses{
    "spec.steps_label_vocabulary",
    "With return_sequences the label of a multi_label_head is a 0 or 1 for each class of a step: "
    "remove label_vocabulary, and give the split the dtype int64."};
constexpr ErrorKind kWeightColumn{
    "spec.steps_weight",
    "With return_sequences the weight_column is a sequence too: write weight_column {{ feature: … "
    "}} with a feature that data.feature splits into numbers, not {0}."};
constexpr ErrorKind kStratify{
    "spec.steps_stratify",
    "A label with a value for each step assigns no class to the row, so its rows cannot be "
    "stratified: remove stratify."};
constexpr ErrorKind kProcesses{
    "spec.steps_of_processes",
    "With return_sequences the loss is a mean over the steps of a batch, which several processes "
    "do not count together: use mirrored or one_device, or remove return_sequences."};
constexpr ErrorKind kMask{"spec.sequence_mask",
                          "'{0}' is also the name of {1}: give the mask another one."};
constexpr ErrorKind kNoMask{"spec.sequence_mask_empty",
                            "The mask has no name: give one, or remove sequence_mask."};
constexpr ErrorKind kUnusedMask{"spec.sequence_mask_unused",
                                "sequence_mask has no effect without return_sequences."};

/// The predictions of heads that may be wrapped.
constexpr std::array<std::string_view, 8> kPredictions{"logits",      "logistic",   "probabilities",
                                                       "class_ids",   "classes",    "all_class_ids",
                                                       "all_classes", "predictions"};

class StepChecker
{
public:
    StepChecker(ValidationContext& context, const Message& member, SpecPath path)
        : m_context(context), m_member(member), m_path(std::move(path)),
          m_head(headOf(context.experiment.estimator()))
    {}

    void check()
    {
        mask();
        if (m_head.has_multi_head()) {
            // TensorFlow's wrapper takes no multi_head, so the other rules have nothing to apply
            // to.
            report(m_path.child("head").child("multi_head"), kManyHeads);
            return;
        }
        label();
        weight();
        rows();
    }

private:
    template <typename... Arguments>
    void report(const SpecPath& path, const ErrorKind& kind, const Arguments&... arguments)
    {
        m_context.report(path, error(ErrorCode::InvalidArgument, kind, arguments...));
    }

    /// Where an argument of the head stands: the estimator has it, or its head.
    SpecPath headPath(const std::string& argument) const
    {
        if (m_member.GetDescriptor()->FindFieldByName(argument) != nullptr) {
            return m_path.child(argument);
        }
        return m_path.child("head").child(memberField(m_head)->name()).child(argument);
    }

    void mask()
    {
        const SpecPath path = m_path.child("sequence_mask");
        const std::string name = sequenceMaskOf(m_context.experiment.estimator());
        if (name.empty()) {
            report(path, kNoMask);
        } else if (std::ranges::find(kPredictions, name) != kPredictions.end()) {
            report(path, kMask, name, "a prediction");
        } else if (m_context.madeFeature(name) != nullptr) {
            // TensorFlow looks the mask up among the features first.
            report(path, kMask, name, "a feature, which TensorFlow would take for the mask");
        }
    }

    void label()
    {
        const Label& label = m_context.experiment.data().label();
        const HeadKind* kind = findHeadKind(m_head);
        const SpecPath path = SpecPath{}.child("data").child("label");
        if (kind == nullptr || label.kind_case() == Label::KIND_NOT_SET || label.has_heads()) {
            return; // reported with the labels
        }
        if (!label.has_split()) {
            report(path, kNoSequence);
            return;
        }
        // Text labels need words to become classes; numbers may have them.
        const bool hasWords = !textsIn(*memberOf(m_head), "label_vocabulary").empty();
        if (hasWords && kind->labels == LabelKind::MultiHot) {
            report(headPath("label_vocabulary"), kStepClasses);
        } else if (!hasWords && label.split().dtype() == DataType::string) {
            const bool areNumbers = kind->labels == LabelKind::Number;
            report(path.child("split").child("dtype"), kStepTexts, areNumbers ? "float32" : "int64",
                   areNumbers ? "" : ", or list the classes in label_vocabulary");
        }
    }

    void weight()
    {
        const FieldDescriptor* field =
            memberOf(m_head) == nullptr
                ? nullptr
                : memberOf(m_head)->GetDescriptor()->FindFieldByName("weight_column");
        if (field == nullptr) {
            return;
        }
        const auto& reference = dynamic_cast<const InputReference&>(
            memberOf(m_head)->GetReflection()->GetMessage(*memberOf(m_head), field));
        const SpecPath path = headPath("weight_column");
        if (reference.has_column()) {
            report(path.child("column"), kWeightColumn, "a feature column");
        } else if (reference.has_feature()) {
            const Feature* feature = m_context.madeFeature(reference.feature());
            // A feature column cannot weigh steps, since it is read once a row.
            if (feature == nullptr || !feature->has_split()) {
                report(path.child("feature"), kWeightColumn,
                       "one with a single value for each row");
            }
        }
    }

    void rows()
    {
        const Split& split = m_context.experiment.data().split();
        const SpecPath path = SpecPath{}.child("data").child("split");
        if (split.fraction().stratify()) {
            report(path.child("fraction").child("stratify"), kStratify);
        }
        if (split.fold().stratify()) {
            report(path.child("fold").child("stratify"), kStratify);
        }
        const Sweep& sweep = m_context.experiment.sweep();
        if (sweep.k_fold().stratify()) {
            report(SpecPath{}.child("sweep").child("k_fold").child("stratify"), kStratify);
        }
        // Each process would divide by the steps of its own rows.
        if (m_context.experiment.strategy().has_multi_worker_mirrored()) {
            report(SpecPath{}.child("strategy").child("multi_worker_mirrored"), kProcesses);
        }
    }

    ValidationContext& m_context;
    const Message& m_member;
    SpecPath m_path; ///< of the estimator
    Head m_head;
};

} // namespace

void checkRecurrentNetwork(ValidationContext& context)
{
    const Estimator& estimator = context.experiment.estimator();
    const FieldDescriptor* kind = memberField(estimator);
    if (kind == nullptr) {
        return;
    }
    const Message& member = estimator.GetReflection()->GetMessage(estimator, kind);
    const SpecPath path = SpecPath{}.child("estimator").child(kind->name());
    if (predictsEveryStep(estimator)) {
        StepChecker(context, member, path).check();
        return;
    }
    const FieldDescriptor* mask = member.GetDescriptor()->FindFieldByName("sequence_mask");
    // Only if it differs from its default, which a resolved experiment has written out.
    if (mask != nullptr && sequenceMaskOf(estimator) != mask->default_value_string()) {
        context.report(path.child(mask->name()), error(ErrorCode::InvalidArgument, kUnusedMask),
                       Severity::Warning);
    }
}

} // namespace cannery::spec
