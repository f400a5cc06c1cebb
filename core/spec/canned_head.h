// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace cannery::spec {

class Estimator;
class Head;

/// The head that an estimator's arguments imply: `head` itself; with `n_classes` the binary or (for
/// more than two classes) the multi-class head, with `label_dimension` the regression head, with
/// the arguments of the same names. An empty head if no estimator is set, or one without labels.
Head headOf(const Estimator& estimator);

/// Whether the head evaluates and predicts every step of a row, not the row: TensorFlow's
/// SequentialHeadWrapper around headOf() (`return_sequences`).
bool predictsEveryStep(const Estimator& estimator);
/// The key of the mask in such predictions.
std::string sequenceMaskOf(const Estimator& estimator);

/// Whether the estimator needs a label: all do that have a head. True if no estimator is set.
bool readsLabels(const Estimator& estimator);
/// Whether the estimator is trained by optimizers, by its arguments; others have steps of their
/// own: k-means and boosted trees. True if no estimator is set.
bool hasOptimizer(const Estimator& estimator);

} // namespace cannery::spec
