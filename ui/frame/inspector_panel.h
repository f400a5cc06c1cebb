// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QPointer>
#include <QWidget>

class QScrollArea;

namespace cannery::ui {

/// The panel at the end: details of the page's selection. Borrows a page's inspector while the page
/// is shown; scrolls if there is little height.
class InspectorPanel : public QWidget
{
    Q_OBJECT

public:
    explicit InspectorPanel(QWidget* parent = nullptr);

    /// Null if there is nothing to show.
    void setContent(QWidget* content);
    /// Over the page, with a shadow and a close button.
    void setFloating(bool floating);
    bool isFloating() const { return m_floating; }

Q_SIGNALS:
    void closeRequested();

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QScrollArea* m_scroll;
    QWidget* m_close;
    QPointer<QWidget> m_content;
    bool m_floating = false;
};

} // namespace cannery::ui
