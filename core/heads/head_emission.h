// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/heads/signature.h"
#include "storage/tf/graphs/graph_def_builder.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cannery::heads {

/// The nodes that several heads emit, with TensorFlow's names, into the open scope.

/// Index of the largest logit: int64 [?, 1].
storage::NodeRef emitClassIds(storage::GraphDefBuilder& graph, const storage::NodeRef& logits);
/// The names of class ids, through a table if there is a vocabulary: string [?, 1].
storage::NodeRef emitClassStrings(storage::GraphDefBuilder& graph, const storage::NodeRef& classIds,
                                  const std::vector<std::string>& vocabulary);
/// 0 to classes - 1 for each row of `like`: int32 [?, classes].
storage::NodeRef emitAllClassIds(storage::GraphDefBuilder& graph, const storage::NodeRef& like,
                                 std::int64_t classes);
/// Every class name for each row of `like`: string [?, classes].
storage::NodeRef emitAllClasses(storage::GraphDefBuilder& graph, const storage::NodeRef& like,
                                std::int64_t classes, const std::vector<std::string>& names);

/// An output of shape [?, width].
SignatureOutput signatureOutput(std::string key, storage::NodeRef tensor, DType dtype,
                                std::int64_t width);
/// The same, of an output that is the same in every row.
SignatureOutput constantOutput(std::string key, storage::NodeRef tensor, DType dtype,
                               std::int64_t width);
/// "serving_default" and "classification" with the same outputs.
void addClassification(std::vector<Signature>& signatures, const storage::NodeRef& scores,
                       const storage::NodeRef& classes, std::int64_t width);
Signature regressionSignature(std::string name, const storage::NodeRef& value, std::int64_t width);
/// "predict"; sorts the outputs.
Signature predictSignature(std::vector<SignatureOutput> outputs);

} // namespace cannery::heads
