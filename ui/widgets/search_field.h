// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QLineEdit>

namespace cannery::ui {

/// A field with a magnifying glass and a cross that clears it; Escape clears it too.
class SearchField : public QLineEdit
{
    Q_OBJECT

public:
    explicit SearchField(const QString& placeholder, QWidget* parent = nullptr);

    /// A sentence that says what is wrong with the text (an invalid filter); empty if there is
    /// nothing. Shown by the outline and the tooltip, spoken as the description.
    void setProblem(const QString& sentence);

protected:
    void keyPressEvent(QKeyEvent* event) override;
};

} // namespace cannery::ui
