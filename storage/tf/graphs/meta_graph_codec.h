// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/tf/graphs/saved_model.h"

namespace tensorflow {
class MetaGraphDef;
} // namespace tensorflow

namespace cannery::storage::detail {

/// Collections are written as in Estimator's exports.
void toProto(const MetaGraph& metaGraph, tensorflow::MetaGraphDef& proto);
/// The parts of a MetaGraphDef that we support; shapes of signatures may be unknown.
Result<MetaGraph> fromProto(const tensorflow::MetaGraphDef& proto);

} // namespace cannery::storage::detail
