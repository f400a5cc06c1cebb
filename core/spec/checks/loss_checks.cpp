// SPDX-License-Identifier: Apache-2.0
// Rules of loss_head: the network that it needs, and the classes of its label.

#include "core/spec/canned_head.h"
#include "core/spec/checks/validation_context.h"
#include "core/spec/message_access.h"
#include "core/spec/networks/network_layout.h"

namespace cannery::spec {

namespace {

constexpr ErrorKind kLossWithoutNetwork{
    "spec.loss_head_network",
    "A loss_head judges the outputs of a network of one's own, and {} has none: use "
    "custom_estimator, or another head."};
constexpr ErrorKind kLossClasses{
    "spec.loss_classes",
    "sparse_categorical_crossentropy reads the number of a class: set n_classes, or choose "
    "categorical_crossentropy."};
constexpr ErrorKind kIgnoredClass{"spec.ignored_class",
                                  "There is no class {0} to ignore: the classes are 0 to {1}. Name "
                                  "one of them, or leave it out."};

void checkLossHead(ValidationContext& context, const Head& head, const SpecPath& parent)
{
    if (!head.has_loss_head()) {
        return;
    }
    const SpecPath path = parent.child(memberField(head)->name());
    const Estimator& estimator = context.experiment.estimator();
    if (networkOf(estimator) == nullptr) {
        context.report(path, error(ErrorCode::InvalidArgument, kLossWithoutNetwork,
                                   memberField(estimator)->name()));
    }
    const LossHead& given = head.loss_head();
    if (!given.loss().has_sparse_categorical_crossentropy()) {
        return;
    }
    const SpecPath loss = path.child("loss").child(memberField(given.loss())->name());
    if (!given.has_n_classes()) {
        context.report(loss, error(ErrorCode::InvalidArgument, kLossClasses));
        return;
    }
    const auto& sparse = given.loss().sparse_categorical_crossentropy();
    if (sparse.has_ignore_class() &&
        (sparse.ignore_class() < 0 || sparse.ignore_class() >= given.n_classes())) {
        context.report(loss.child("ignore_class"),
                       error(ErrorCode::InvalidArgument, kIgnoredClass, sparse.ignore_class(),
                             given.n_classes() - 1));
    }
}

} // namespace

void checkLossHeads(ValidationContext& context)
{
    const Estimator& estimator = context.experiment.estimator();
    const auto* member = memberField(estimator);
    if (member == nullptr) {
        return;
    }
    const SpecPath path = SpecPath{}.child("estimator").child(member->name()).child("head");
    const Head head = headOf(estimator);
    checkLossHead(context, head, path);
    if (head.has_multi_head()) {
        const SpecPath heads = path.child(memberField(head)->name()).child("heads");
        for (int i = 0; i < head.multi_head().heads_size(); ++i) {
            checkLossHead(context, head.multi_head().heads(i), heads.element(i));
        }
    }
}

} // namespace cannery::spec
