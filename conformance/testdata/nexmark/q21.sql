SELECT auction, bidder, price, channel, channel_id
FROM (
  SELECT
    auction,
    bidder,
    price,
    channel,
    CASE
      WHEN lower(channel) = 'apple' THEN '0'
      WHEN lower(channel) = 'google' THEN '1'
      WHEN lower(channel) = 'facebook' THEN '2'
      WHEN lower(channel) = 'baidu' THEN '3'
      ELSE get(split(url, 'channel_id='), 1)
    END AS channel_id
  FROM bid
)
WHERE channel_id IS NOT NULL