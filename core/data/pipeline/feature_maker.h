// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/base/shape.h"
#include "core/data/pipeline/default_value.h"
#include "core/data/pipeline/feature_batch.h"
#include "core/data/sources/data_source.h"
#include "core/data/typing/date_columns.h"
#include "core/spec/data.pb.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cannery::data {

class SchemaIndex;

/// How one feature or label is made from columns.
struct FeatureRecipe
{
    enum class Kind
    {
        Plain,    ///< one column, unchanged, perhaps under another name
        Split,    ///< one column split at a separator: sparse
        Stack,    ///< several columns side by side: dense
        DatePart, ///< a number that a column of dates gives
    };

    std::string name;
    Kind kind = Kind::Plain;
    std::vector<std::string> columns;
    DType dtype = DType::String; ///< of the elements
    Shape shape{1};
    std::string separator;
    std::optional<DateRecipe> date; ///< of a DatePart
};

/// Recipes of all features that a data message defines: derived features, then every column that is
/// neither a label nor used up by them. Errors: unknown columns, shapes that do not match.
Result<std::vector<FeatureRecipe>> featureRecipes(const spec::Data& data,
                                                  const TableSchema& schema);

/// Recipes of the labels: one, or one per head, or none if the message names none. A label whose
/// columns the schema lacks is an error if `isRequired`, and is left out otherwise.
Result<std::vector<FeatureRecipe>> labelRecipes(const spec::Data& data, const TableSchema& schema,
                                                const std::string& firstFile, bool isRequired);

/// The columns that the label of a data message is made from.
std::vector<std::string> labelColumns(const spec::Data& data);

/// A column of the schema as a feature of its own.
FeatureRecipe plainRecipe(const ColumnSchema& column);

/// Makes features and labels from the columns of chunks. Thread-safe after creation.
class FeatureMaker
{
public:
    /// Errors: a default value that does not convert to its dtype.
    static Result<FeatureMaker> create(const std::vector<FeatureRecipe>& features,
                                       const std::vector<FeatureRecipe>& labels,
                                       const TableSchema& schema,
                                       const std::vector<std::string>& files);

    /// make() notes rows with a bad piece in FeatureBatch::unusable, instead of failing.
    void keepUnusable() { m_keepsUnusable = true; }

    /// The columns that make() expects in its chunks, in this order.
    const std::vector<ColumnRequest>& columns() const { return m_columns; }

    /// Errors: a piece of a split cell that is not a number, a cell that is not a date, with file
    /// and line.
    Result<FeatureBatch> make(storage::TableChunk&& chunk) const;

private:
    struct Ingredient
    {
        std::size_t column = 0;                 ///< index into m_columns
        std::vector<DefaultValue> defaultValue; ///< one or none
        storage::NumberNotation notation = {};  ///< of the numbers in split cells
    };

    struct Plan
    {
        FeatureRecipe recipe;
        std::vector<Ingredient> ingredients;
        bool isLabel = false;
        bool mayMove = false; ///< no other recipe reads the column
    };

    FeatureMaker() = default;
    Result<void> add(const FeatureRecipe& recipe, const SchemaIndex& known, bool isLabel);
    /// The place of a column in m_columns, to which it is added when it is new.
    std::size_t placeOf(const std::string& column, DType dtype);
    Result<FeatureValues> makeOne(const Plan& plan, storage::TableChunk& chunk,
                                  std::vector<UnusableRow>& unusable) const;
    Result<FeatureValues> makeSplit(const Plan& plan, const storage::TableChunk& chunk,
                                    std::vector<UnusableRow>& unusable) const;
    Result<FeatureValues> makeDatePart(const Plan& plan, const storage::TableChunk& chunk,
                                       std::vector<UnusableRow>& unusable) const;
    static FeatureValues makeStack(const Plan& plan, const storage::TableChunk& chunk);
    static FeatureValues makePlain(const Plan& plan, storage::TableChunk& chunk);

    std::vector<std::string> m_files;
    std::vector<ColumnRequest> m_columns;
    std::vector<std::size_t> m_uses; ///< number of uses of each column
    std::map<std::pair<std::string, DType>, std::size_t> m_places; ///< in m_columns
    std::vector<Plan> m_plans;
    bool m_keepsUnusable = false;
};

} // namespace cannery::data
