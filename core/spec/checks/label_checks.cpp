// SPDX-License-Identifier: Apache-2.0
// Checks that the label in `data` fits the estimator's head.

#include "core/spec/canned_head.h"
#include "core/spec/checks/annotation_checks.h"
#include "core/spec/checks/validation_context.h"
#include "core/spec/head_kinds.h"
#include "core/spec/message_access.h"

#include <algorithm>

namespace cannery::spec {

namespace {

constexpr ErrorKind kLabelSize{
    "spec.label_size", "The label has {0} column(s), but the model predicts {1} number(s): {2}."};
constexpr ErrorKind kLabelSplit{
    "spec.label_split",
    "A label of several values per cell ('split') only fits a multi_label_head, or a recurrent "
    "network with return_sequences: give one column."};
constexpr ErrorKind kLabelHeads{"spec.label_heads", "{0}"};
constexpr ErrorKind kNamelessHeads{"spec.label_nameless_heads",
                                   "There is no head named '{0}', since no head of the multi_head "
                                   "has a name: give each of them one."};
constexpr ErrorKind kUnknownHead{"spec.label_unknown_head",
                                 "There is no head named '{0}': the heads are {1}."};
constexpr ErrorKind kUnlabelledHead{
    "spec.head_without_label",
    "The head '{0}' has no label: add head {{ name: \"{0}\" column: … }} to data.label.heads."};

constexpr ErrorKind kLabelUnread{
    "spec.label_unread",
    "{0} learns without a label: this one is not read, and its columns are no features."};

/// One label (of the experiment or of one head) against one head.
template <typename LabelMessage>
void checkLabel(ValidationContext& context, const LabelMessage& label, const SpecPath& path,
                const Head& head)
{
    const HeadKind* kind = findHeadKind(head);
    if (kind == nullptr) {
        return;
    }
    if (label.has_split()) {
        if (kind->labels != LabelKind::MultiHot) {
            context.report(path.child("split"), error(ErrorCode::InvalidArgument, kLabelSplit));
        }
        return;
    }
    const std::int64_t width = labelWidth(head);
    const std::int64_t given =
        label.has_columns() ? label.columns().column_size() : (label.has_column() ? 1 : 0);
    // No columns at all are reported by the label's oneof.
    if (given > 0 && given != width) {
        const std::string cure =
            kind->labels == LabelKind::Number
                ? fmt::format("set label_dimension to {}, or give {} column(s)", given, width)
            : kind->labels == LabelKind::MultiHot
                ? "give one column of 0 and 1 for each class, or a 'split' cell"
                : "give one column";
        context.report(path.child(label.has_columns() ? "columns" : "column"),
                       error(ErrorCode::InvalidArgument, kLabelSize, given, width, cure));
    }
}

void checkHeadLabels(ValidationContext& context, const MultiHead& multi, const HeadLabels& labels)
{
    const SpecPath path = SpecPath{}.child("data").child("label").child("heads");
    std::string known;
    // Nameless heads are left out of the list of names.
    for (const Head& head : multi.heads()) {
        known += (known.empty() || headName(head).empty() ? "" : ", ") + headName(head);
    }
    for (int i = 0; i < labels.head_size(); ++i) {
        const auto head =
            std::find_if(multi.heads().begin(), multi.heads().end(),
                         [&](const Head& one) { return headName(one) == labels.head(i).name(); });
        const SpecPath here = path.child("head").element(i);
        if (head != multi.heads().end()) {
            checkLabel(context, labels.head(i), here, *head);
        } else if (!labels.head(i).name().empty()) {
            // A nameless entry is reported by the field's own rule.
            const std::string& name = labels.head(i).name();
            context.report(here.child("name"),
                           known.empty() ? error(ErrorCode::NotFound, kNamelessHeads, name)
                                         : error(ErrorCode::NotFound, kUnknownHead, name, known));
        }
    }
    for (const Head& head : multi.heads()) {
        const std::string name = headName(head);
        const bool labelled =
            std::any_of(labels.head().begin(), labels.head().end(),
                        [&](const HeadLabel& label) { return label.name() == name; });
        if (!labelled && !name.empty()) {
            context.report(path, error(ErrorCode::NotFound, kUnlabelledHead, name));
        }
    }
}

} // namespace

void checkLabels(ValidationContext& context)
{
    const Estimator& estimator = context.experiment.estimator();
    const Head head = headOf(estimator);
    const Data& data = context.experiment.data();
    const Label& label = data.label();
    const SpecPath path = SpecPath{}.child("data").child("label");
    // An experiment without data is a fragment, as a template is.
    if (context.experiment.has_data() && !data.has_label() && readsLabels(estimator)) {
        reportUnset(*Data::descriptor()->FindFieldByNumber(Data::kLabelFieldNumber), path,
                    context.problems);
    } else if (data.has_label() && !readsLabels(estimator)) {
        context.report(
            path, error(ErrorCode::InvalidArgument, kLabelUnread, memberField(estimator)->name()),
            Severity::Warning);
    }
    if (head.kind_case() == Head::KIND_NOT_SET || label.kind_case() == Label::KIND_NOT_SET) {
        return;
    }
    if (head.has_multi_head() != label.has_heads()) {
        context.report(path, error(ErrorCode::InvalidArgument, kLabelHeads,
                                   head.has_multi_head()
                                       ? "A multi_head needs one label for each head: write "
                                         "heads { head { name: … column: … } … }."
                                       : "'heads' gives labels to the heads of a multi_head, "
                                         "which this estimator has not: give column."));
        return;
    }
    if (head.has_multi_head()) {
        checkHeadLabels(context, head.multi_head(), label.heads());
    } else if (!predictsEveryStep(estimator)) { // its label is checked with its network
        checkLabel(context, label, path, head);
    }
}

} // namespace cannery::spec
