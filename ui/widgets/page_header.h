// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/widgets/button.h"

#include <QWidget>

class QAction;

namespace cannery::ui {

class ElidedLabel;
class IconButton;
class Label;
class Pill;

/// The top of a page: breadcrumb, title, pill, one grey sentence; actions at the end, the primary
/// one last. Actions without room move into a menu, the first ones first.
class PageHeader : public QWidget
{
    Q_OBJECT

public:
    explicit PageHeader(const QString& title, QWidget* parent = nullptr);

    void setTitle(const QString& title);
    /// "Train" before "run-012"; empty if there is none. A click emits crumbActivated().
    void setCrumb(const QString& crumb);
    /// Hidden until its state is set and shown.
    Pill& pill() { return *m_pill; }
    void setSentence(const QString& sentence);
    /// Adds a button at the end; the action is not owned. `text` replaces the action's own.
    Button* addAction(QAction* action, Button::Kind kind = Button::Kind::Plain,
                      const QString& text = {});
    /// A widget at the end, before the actions (a segmented control). Takes it.
    void addWidget(QWidget* widget);

    QSize minimumSizeHint() const override;
    QSize sizeHint() const override;

Q_SIGNALS:
    void crumbActivated();

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;

private:
    void placeActions();

    Button* m_crumb;
    QWidget* m_chevron;
    Label* m_title;
    Pill* m_pill;
    ElidedLabel* m_sentence;
    IconButton* m_more;
    QList<QWidget*> m_extras;
    QList<Button*> m_buttons;
};

} // namespace cannery::ui
