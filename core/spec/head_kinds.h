// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/heads.pb.h"

#include <cstdint>
#include <span>
#include <string>

/// What kinds of heads learn from, by a row for each kind. Nothing else tells heads apart by their
/// kind but the heads themselves.
namespace cannery::spec {

/// How a head reads its labels.
enum class LabelKind
{
    Number,      ///< label_dimension numbers, any but NaN
    Probability, ///< a number from 0 to 1, or one of two words
    ClassId,     ///< a whole number below n_classes, or a word
    MultiHot,    ///< 0 or 1 for each of n_classes, or the classes that hold
};

/// What it learns by.
enum class HeadLoss
{
    Squares,
    Sigmoid, ///< cross entropy, one for each logit
    Softmax, ///< cross entropy over all logits
    Poisson,
};

struct HeadKind
{
    Head::KindCase key = Head::KIND_NOT_SET;
    LabelKind labels = LabelKind::Number;
    HeadLoss loss = HeadLoss::Squares;
};

/// All kinds but multi_head, which has labels and losses of several.
std::span<const HeadKind> headKinds();
/// The row of the kind that is set, or nullptr.
const HeadKind* findHeadKind(const Head& head);

/// Empty also of a head that cannot have one.
std::string headName(const Head& head);
/// Its n_classes; 2 where it has no such argument.
std::int64_t classCount(const Head& head);
/// Numbers of label in a row, as many as logits but for a ClassId; 0 of a head without a row.
std::int64_t labelWidth(const Head& head);

} // namespace cannery::spec
