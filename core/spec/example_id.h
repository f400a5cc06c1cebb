// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/text/spec_path.h"

#include <optional>
#include <string>

/// The optimizer that finds a row again in every epoch, by its id: LinearSDCA. It is known by its
/// field `example_id_column`; nothing here refers to a kind of optimizer.
namespace cannery::spec {

class Estimator;

struct ExampleId
{
    SpecPath optimizer;  ///< "estimator.linear_classifier.optimizer"
    std::string kind;    ///< "linear_sdca"
    std::string feature; ///< the raw feature that identifies a row; empty if not given
};

/// Of the estimator's first such optimizer; nothing if it has none.
std::optional<ExampleId> exampleIdOf(const Estimator& estimator);

} // namespace cannery::spec
