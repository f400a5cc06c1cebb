// SPDX-License-Identifier: Apache-2.0
#include "core/features/category_cells.h"

namespace cannery::features {

namespace {

constexpr ErrorKind kCategoryType{
    "features.category_type",
    "Feature '{}' is {}, but feature column '{}' reads {}. Set the dtype of the feature column to "
    "that of the data, or data.column {{ name: \"{}\" dtype: {} }}."};
constexpr ErrorKind kCategoryFloat{
    "features.category_of_floats",
    "Feature '{}' is {}, and feature column '{}' needs texts or integers. Use a numeric_column "
    "and a bucketized_column for it, or data.column {{ name: \"{}\" dtype: string }}."};

} // namespace

Result<void> checkCategoryType(const data::FeatureValues& values, DType wanted,
                               std::string_view column)
{
    if (isFloating(values.dtype)) {
        return fail(ErrorCode::InvalidArgument, kCategoryFloat, values.name, name(values.dtype),
                    column, values.name);
    }
    if (wanted != DType::Invalid && isInteger(wanted) != isInteger(values.dtype)) {
        return fail(ErrorCode::InvalidArgument, kCategoryType, values.name, name(values.dtype),
                    column, name(wanted), values.name, name(wanted));
    }
    return {};
}

} // namespace cannery::features
