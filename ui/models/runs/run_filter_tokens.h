// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/run_filter.h"

#include <QString>

#include <optional>
#include <vector>

namespace cannery::ui {

/// A token of a filter's text.
struct FilterToken
{
    enum class Kind
    {
        Word,
        Quoted,
        Operator,
        Open,
        Close,
        End,
    };
    Kind kind = Kind::End;
    QString text;
    qsizetype position = 0;
    qsizetype length = 0;
};

/// The tokens of a text, the last one of kind End; sets `error` if a quotation is not closed.
std::vector<FilterToken> filterTokens(const QString& text, std::optional<FilterError>& error);

} // namespace cannery::ui
