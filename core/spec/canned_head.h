// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace cannery::spec {

class Estimator;
class Head;

/// The head that an estimator's arguments imply: `head` itself; with `n_classes` the binary or (for
/// more than two classes) the multi-class head, otherwise the regression head, with the arguments
/// of the same names. An empty head if no estimator is set.
Head headOf(const Estimator& estimator);

} // namespace cannery::spec
