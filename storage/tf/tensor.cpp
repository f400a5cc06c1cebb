// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/tensor.h"

namespace cannery::storage {

HostTensor HostTensor::zeros(DType dtype, Shape shape)
{
    const auto count = static_cast<std::size_t>(shape.elementCount());
    HostTensor tensor;
    tensor.dtype = dtype;
    tensor.shape = std::move(shape);
    if (dtype == DType::String) {
        tensor.strings.resize(count);
    } else {
        tensor.bytes.resize(count * byteSize(dtype));
    }
    return tensor;
}

HostTensor HostTensor::ofStrings(std::vector<std::string> strings, Shape shape)
{
    CANNERY_CHECK(shape.elementCount() == static_cast<std::int64_t>(strings.size()));
    HostTensor tensor;
    tensor.dtype = DType::String;
    tensor.shape = std::move(shape);
    tensor.strings = std::move(strings);
    return tensor;
}

HostTensor HostTensor::ofStrings(std::vector<std::string> strings)
{
    const auto count = static_cast<std::int64_t>(strings.size());
    return ofStrings(std::move(strings), Shape{count});
}

} // namespace cannery::storage
