// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/heads.pb.h"

#include <cstdint>
#include <span>
#include <string>

/// What each kind of head learns from, one row per kind. Apart from the heads themselves, no other
/// code distinguishes heads by their kind.
namespace cannery::spec {

/// How a head reads its labels.
enum class LabelKind
{
    Number,      ///< label_dimension numbers, any but NaN
    Probability, ///< a number from 0 to 1, or one of two words
    ClassId,     ///< an integer below n_classes, or a word
    MultiHot,    ///< 0 or 1 for each of n_classes, or the list of classes that apply
};

/// The loss it is trained with.
enum class HeadLoss
{
    Squares,
    Sigmoid, ///< cross entropy, per logit
    Softmax, ///< cross entropy over all logits
    Poisson,
    Chosen, ///< the one of Keras that it names
};

struct HeadKind
{
    Head::KindCase key = Head::KIND_NOT_SET;
    LabelKind labels = LabelKind::Number;
    HeadLoss loss = HeadLoss::Squares;
};

/// All kinds except multi_head, which has the labels and losses of several. A loss_head has a row
/// for each kind of label.
std::span<const HeadKind> headKinds();
/// The row of the head that is set, or nullptr.
const HeadKind* findHeadKind(const Head& head);

/// Whether its loss takes one output for two classes: binary losses with n_classes 2.
bool hasOneOutput(const LossHead& head);

/// Also empty for a head that cannot have one.
std::string headName(const Head& head);
/// Its n_classes; 2 if it has no such argument.
std::int64_t classCount(const Head& head);
/// Numbers per label of a row, one per logit except for a ClassId; 0 for a head without a row.
std::int64_t labelWidth(const Head& head);

/// The raw feature that is its weight_column; empty if that is none or a feature column.
std::string weightFeatureOf(const Head& head);

} // namespace cannery::spec
