// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

/// Only for the sources of storage/tf.
namespace cannery::storage::detail {

/// The text that printText() gives a GraphDef without a (deprecated) version, from its
/// deterministic serialization and without a message, many times as fast: a model of a wide table
/// has several nodes for each of its columns.
std::string graphText(std::string_view graph);

} // namespace cannery::storage::detail
