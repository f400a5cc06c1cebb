// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/tables/table_choice.h"
#include "core/base/result.h"
#include "core/spec/data.pb.h"

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::app {

/// Rows to predict, as a file that tables are read from: a table as it is, or JSON made into CSV
/// (one object per row, keys are columns: in lines, in an array, or in an array that is all that an
/// object holds, as in {"instances": […]}), also from standard input ("-"). Temporary files are
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

    /// A row that is not in the file, because it is not an object.
    struct RefusedLine
    {
        std::int64_t line = 0; ///< of the file: it belongs before the row that begins there
        std::string sentence;
    };

    /// `data` says how the model's tables are read: a JSON array becomes a multi-valued cell, a
    /// JSON text is read as a cell of such a table ("3,14" with a decimal comma).
    /// `choice`: which table of a database.
    static Result<PredictionInput> open(const std::string& input, const TableChoice& choice,
                                        const spec::Data& data);

    PredictionInput(PredictionInput&& other) noexcept;
    PredictionInput& operator=(PredictionInput&&) = delete;
    ~PredictionInput();

    const std::string& file() const { return m_file; }
    bool isJson() const { return m_isJson; }
    /// How the file is read.
    const spec::Data& data() const { return m_data; }
    /// Ascending.
    const std::vector<RefusedLine>& refused() const { return m_refused; }
    /// An error about the file, with the place in what was given instead of a temporary file's.
    Error placed(Error found) const;

private:
    static Result<PredictionInput> ofJson(std::string_view text, std::int64_t line,
                                          const std::string& given, const spec::Data& data);
    static Result<PredictionInput> ofStream(std::string_view text, std::istream& stream,
                                            const spec::Data& data);
    std::string inGiven(std::string text) const;
    std::int64_t originOf(std::int64_t line) const;
    PredictionInput(std::string file, bool temporary, spec::Data data)
        : m_file(std::move(file)), m_data(std::move(data)), m_temporary(temporary)
    {}

    std::string m_file;
    spec::Data m_data;
    std::string m_given;               ///< what a temporary file stands for, in words
    std::vector<LineOrigin> m_origins; ///< ascending; empty if the lines are the same
    std::vector<RefusedLine> m_refused;
    bool m_temporary = false;
    bool m_isJson = false;
};

} // namespace cannery::app
