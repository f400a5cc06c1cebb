// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/tables/table_choice.h"
#include "core/base/result.h"
#include "core/data/sources/data_source_catalog.h"
#include "core/serving/json_document.h"
#include "core/spec/data.pb.h"

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::app {

/// Rows to predict, as a file that tables are read from: a table as it is, or JSON (one object per
/// row, keys are columns: in lines, in an array, or in an array of objects within an object, as in
/// {"instances": […]}, which become lines), also from standard input ("-"). Temporary files are
/// removed again.
class PredictionInput
{
public:
    /// The first line of a row in a temporary file, and the line that it was made of.
    struct LineOrigin
    {
        std::int64_t line = 0;
        std::int64_t origin = 0;
    };

    /// `data` says how the model's tables are read. Rows of another kind have the same columns with
    /// the same meaning: missing tokens, notations, lists.
    /// `choice`: which table of a database.
    static Result<PredictionInput> open(const std::string& input, const TableChoice& choice,
                                        const spec::Data& data);

    PredictionInput(PredictionInput&& other) noexcept;
    PredictionInput& operator=(PredictionInput&&) = delete;
    ~PredictionInput();

    const std::string& file() const { return m_file; }
    bool isJson() const { return data::isJson(m_data.train()); }
    /// How the file is read.
    const spec::Data& data() const { return m_data; }
    /// An error about the file, with the place in what was given instead of a temporary file's.
    Error placed(Error found) const;

private:
    static Result<PredictionInput> ofDocument(const std::vector<serving::JsonPiece>& rows,
                                              const std::string& given, const spec::Data& data);
    static Result<PredictionInput> ofStream(std::string_view text, std::istream& stream,
                                            bool isJson, const spec::Data& data);
    std::string inGiven(std::string text) const;
    std::int64_t originOf(std::int64_t line) const;
    PredictionInput(std::string file, bool temporary, spec::Data data)
        : m_file(std::move(file)), m_data(std::move(data)), m_temporary(temporary)
    {}

    std::string m_file;
    spec::Data m_data;
    std::string m_given;               ///< what a temporary file stands for, in words
    std::vector<LineOrigin> m_origins; ///< ascending; empty if the lines are the same
    bool m_temporary = false;
};

} // namespace cannery::app
