// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace cannery::spec {

class Estimator;
class Head;

/// The head that an estimator's arguments imply: `head` is its own; with `n_classes` it is the
/// binary or (beyond two classes) the multi-class head, otherwise the regression head, with what
/// arguments have the same names. An empty head when no estimator is set.
Head headOf(const Estimator& estimator);

} // namespace cannery::spec
