// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tensorflow {
class GraphDef;
} // namespace tensorflow

/// Only for the sources of storage/tf.
namespace cannery::storage::detail {

/// The same text as printText() of a graph without a (deprecated) version, several times as fast: a
/// model of a wide table has some ten nodes for each of its columns.
std::string graphText(const tensorflow::GraphDef& graph);

} // namespace cannery::storage::detail
