// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace cannery::spec {

class Estimator;
class Head;

/// The head that an estimator implies: of a classifier the binary or (beyond two classes) the
/// multi-class head with its weights, vocabulary and reduction, of a regressor the regression head,
/// of a *_estimator its own. An empty head when none is set.
Head headOf(const Estimator& estimator);

} // namespace cannery::spec
