// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/tf/message_limits.h"
#include "storage/tf/tensor.h"

#include <string>
#include <string_view>

namespace google::protobuf {
class Message;
class MessageLite;
} // namespace google::protobuf

namespace tensorflow {
class TensorProto;
class TensorShapeProto;
} // namespace tensorflow

/// Between our values and TensorFlow's messages; only for the sources of storage/tf.
namespace cannery::storage::detail {

/// Field order by number and map entries by key, so that equal messages give equal bytes.
std::string serializeDeterministically(const google::protobuf::MessageLite& message);
/// False when the bytes are no such message; an error that names the limit when they are more than
/// a message may have.
Result<bool> parseMessage(std::string_view bytes, google::protobuf::Message& message);
/// As protobuf text, maps sorted by key.
std::string printText(const google::protobuf::Message& message);

void toProto(const Shape& shape, tensorflow::TensorShapeProto& proto);
/// Scalars and tensors of one repeated value stand in the typed list, others as raw bytes.
void toProto(const HostTensor& tensor, tensorflow::TensorProto& proto);

/// Refuses unknown rank, and sizes whose product does not fit: every dimension at least `minimum`
/// (-1 lets unknown dimensions through).
Result<Shape> shapeFromProto(const tensorflow::TensorShapeProto& proto, std::int64_t minimum);
/// What the tensors of one message may still grow to beyond the values that stand in it: a value
/// that is stated once and meant often takes of it, so a small message cannot claim much memory.
struct FillBudget
{
    std::size_t bytes = kMaxFilledBytes;
};

/// Refuses types we do not hold, element counts that do not fit the values given, and what is
/// beyond the budget ("tf.too_many_elements", before anything is allocated).
Result<HostTensor> tensorFromProto(const tensorflow::TensorProto& proto, FillBudget& budget);
/// A tensor that stands alone.
Result<HostTensor> tensorFromProto(const tensorflow::TensorProto& proto);

/// Product of the dimensions, or an error where it is negative or does not fit into 63 bits.
Result<std::int64_t> checkedElementCount(const Shape& shape);

} // namespace cannery::storage::detail
